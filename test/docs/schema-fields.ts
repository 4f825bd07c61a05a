import { nameOf, OUTPUT_SCHEMA, resolveRef, type Schema } from './output-schema.js';

/** A schema with the place where it is defined: `holder.owner`, `wait@1.keys.status`. */
interface Placed {
  readonly schema: Schema;
  readonly place: string;
}

/** One field of an object that is printed. */
interface Field extends Placed {
  readonly name: string;
}

/** A definition by its name. */
export function placedDefinition(name: string): Placed {
  return { schema: resolveRef(name), place: name };
}

/** The fields of an object, with those of the definitions that are parts of it: one of several parts once for each. */
function fieldsOf({ schema, place }: Placed): readonly Field[] {
  const { properties = {}, allOf = [], oneOf = [], then } = schema;
  const own = Object.entries(properties).map(([name, field]) => ({
    name,
    schema: field,
    place: `${place}.${name}`,
  }));
  const parts = [...allOf, ...oneOf, ...(then ? [then] : [])];
  return [...own, ...parts.flatMap((part) => fieldsOf(follow({ schema: part, place })))];
}

/** The objects that a field may hold, or the items of its array. */
function objectsIn({ schema, place }: Placed): readonly Placed[] {
  const found = follow({ schema, place });
  const { type, items, oneOf = [] } = found.schema;
  if (items) return objectsIn({ schema: items, place: found.place });
  if (type === 'object') return [found];
  return oneOf.flatMap((one) => objectsIn({ schema: one, place: found.place }));
}

/** Where every field of the schema is defined. */
export function everyPlace(): readonly string[] {
  const places = (of: Placed): readonly string[] =>
    ownFieldsOf(of).flatMap((field) => [
      field.place,
      ...(field.schema.$ref === undefined ? objectsIn(field).filter(isInline).flatMap(places) : []),
    ]);
  return [...new Set(Object.keys(OUTPUT_SCHEMA.$defs).flatMap((name) => places(placedDefinition(name))))];
}

/** Where the fields that an object really has are defined. */
export function placesIn(value: unknown, of: readonly Placed[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => placesIn(item, of));
  if (typeof value !== 'object' || value === null) return [];
  const fields = of.flatMap(fieldsOf);
  return Object.entries(value).flatMap(([name, held]) =>
    fields
      .filter((field) => field.name === name && (field.schema.type === 'null') === (held === null))
      .flatMap((field) => [field.place, ...placesIn(held, objectsIn(field))]),
  );
}

function ownFieldsOf({ schema, place }: Placed): readonly Field[] {
  const inline = (list: readonly Schema[] = []) => list.filter(({ $ref }) => $ref === undefined);
  return fieldsOf({
    schema: { ...schema, allOf: inline(schema.allOf), oneOf: inline(schema.oneOf) },
    place,
  });
}

function isInline({ place }: Placed): boolean {
  return place.includes('.');
}

function follow({ schema, place }: Placed): Placed {
  return schema.$ref === undefined ? { schema, place } : placedDefinition(nameOf(schema.$ref));
}
