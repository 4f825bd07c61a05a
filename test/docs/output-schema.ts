import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';

/** The part of JSON Schema that schema/output.schema.json is written in. */
export interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly then?: Schema;
}

interface OutputSchema extends Schema {
  readonly oneOf: readonly Schema[];
  readonly $defs: Readonly<Record<string, Schema>>;
}

const FILE = fileURLToPath(new URL('../../schema/output.schema.json', import.meta.url));

/** The published schema. */
export const OUTPUT_SCHEMA: OutputSchema = JSON.parse(readFileSync(FILE, 'utf8'));

/** The names of what is printed, without `mastra-lease/`, in the order of the file. */
export const PRINTED = OUTPUT_SCHEMA.oneOf.map(({ $ref = '' }) => nameOf($ref));

/** The definition that a reference names. */
export function resolveRef($ref: string): Schema {
  const found = OUTPUT_SCHEMA.$defs[nameOf($ref)];
  if (!found) throw new Error(`The schema has no ${$ref}`);
  return found;
}

/** The name of what a reference names. */
export function nameOf($ref: string): string {
  return $ref.replace('#/$defs/', '');
}

/** A printed object that is not as the schema says; all of its problems. */
class UnexpectedOutputError extends Error {}

const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
// As it is published it is open, for what later versions add. What this version prints has to be in it to the last field.
ajv.addSchema({ ...OUTPUT_SCHEMA, $defs: closedDefinitions() }, 'closed');

/** @throws {@link UnexpectedOutputError} when the object has a field that the schema does not name, or lacks one. */
export function assertOutput(object: Readonly<Record<string, unknown>>): void {
  const name = String(object.schema).replace('mastra-lease/', '');
  if (!PRINTED.includes(name)) throw new UnexpectedOutputError(`The schema has no ${object.schema}`);
  const validate = ajv.getSchema(`closed#/$defs/${name}`);
  if (validate?.(object) === true) return;
  const problems = validate?.errors?.map(
    ({ instancePath, message, params }) => `${instancePath || name} ${message} ${JSON.stringify(params)}`,
  );
  throw new UnexpectedOutputError([...(problems ?? []), JSON.stringify(object)].join('\n'));
}

function closedDefinitions(): Record<string, Schema> {
  const shared = sharedParts();
  return Object.fromEntries(
    Object.entries(OUTPUT_SCHEMA.$defs).map(([name, schema]) => [name, closed(schema, shared.has(name))]),
  );
}

/** The definitions that are parts of others: an object has more fields than one of them knows. */
function sharedParts(): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (schema: Schema, isPart: boolean): void => {
    if (isPart && schema.$ref !== undefined) found.add(nameOf(schema.$ref));
    for (const part of partsOf(schema)) visit(part, isObject(schema) || isPart);
    for (const field of fieldsIn(schema)) visit(field, false);
  };
  for (const schema of Object.values(OUTPUT_SCHEMA.$defs)) visit(schema, false);
  // A part of a part is one too.
  for (const name of found) {
    for (const { $ref } of partsOf(resolveRef(name))) if ($ref !== undefined) found.add(nameOf($ref));
  }
  return found;
}

function closed(schema: Schema, isPart: boolean): Schema {
  const { properties, items, allOf, oneOf, ...rest } = schema;
  const whole = isObject(schema) && !isPart;
  return {
    ...rest,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, field]) => [name, closed(field, false)]),
      ),
    }),
    ...(items && { items: closed(items, false) }),
    ...(allOf && { allOf: allOf.map((part) => closed(part, true)) }),
    ...(oneOf && { oneOf: oneOf.map((part) => closed(part, isObject(schema) || isPart)) }),
    ...(whole && { unevaluatedProperties: false }),
  };
}

function isObject({ type }: Schema): boolean {
  return type === 'object';
}

function partsOf({ allOf = [], oneOf = [], then }: Schema): readonly Schema[] {
  return [...allOf, ...oneOf, ...(then ? [then] : [])];
}

function fieldsIn({ properties = {}, items }: Schema): readonly Schema[] {
  return [...Object.values(properties), ...(items ? [items] : [])];
}
