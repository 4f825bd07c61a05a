import { EXIT_CODES, exitCodeOfError } from '../../src/cli/exit-codes.js';
import { LEASE_ERROR_CODES } from '../../src/lease/errors.js';
import { markdownTable } from '../support/generated-part.js';
import { nameOf, OUTPUT_SCHEMA, PRINTED, resolveRef, type Schema } from './output-schema.js';

/** The generated parts of docs/exit-codes-and-json.md, by their names. */
export const JSON_PARTS = { codes, errors, objects, parts } as const;

function codes(): string {
  return markdownTable(
    ['code', 'meaning', 'retry helps'],
    Object.entries(EXIT_CODES).map(([code, { meaning, retry }]) => [code, meaning, retry]),
  );
}

/** The errors by what a command ends with. */
function errors(): string {
  const exits: Readonly<Record<string, number>> = {
    ...Object.fromEntries(LEASE_ERROR_CODES.map((code) => [code, exitCodeOfError(code)])),
    ERR_LEASE_LOST: 5,
    ERR_USAGE: 2,
    ERR_INTERNAL: 1,
  };
  const byCode = Object.groupBy(Object.keys(exits), (error) => String(exits[error]));
  const rows = Object.entries(byCode).map(([code, names = []]) => [
    code,
    names.map((name) => `\`${name}\``).join(', '),
  ]);
  return markdownTable(['exit code', '`error.code`'], [...rows, ['129, 130, 143', '`ERR_INTERRUPTED`']]);
}

/** What is printed, a section each. */
function objects(): string {
  return PRINTED.map((name) => section(`mastra-lease/${name}`, resolveRef(name))).join('\n\n');
}

/** What the printed objects are made of, a section each. */
function parts(): string {
  return Object.values(OUTPUT_SCHEMA.$defs)
    .flatMap((schema) => (schema.title === undefined ? [] : [section(schema.title, schema)]))
    .join('\n\n');
}

function section(title: string, schema: Schema): string {
  const { description = '', oneOf = [] } = schema;
  const cases = oneOf.filter((one) => one.title !== undefined);
  const shared = sharedWords(schema);
  return [
    `### ${title}`,
    `${description}${shared}`,
    ...tableOf(schema),
    ...cases.flatMap((one) => [
      [`**${one.title}.**`, one.description ?? '', sharedWords(one).trim()]
        .filter((text) => text !== '')
        .join(' '),
      ...tableOf(one),
    ]),
    ...oneOf.filter((one) => one.title === undefined && one.properties?.key !== undefined).flatMap(tableOf),
  ].join('\n\n');
}

/** The definitions whose fields an object has too, and which of those it always has. */
function sharedWords({ allOf = [], oneOf = [], then, properties = {}, required = [] }: Schema): string {
  const names = [...allOf, ...oneOf, ...(then ? [then] : [])].flatMap(({ $ref }) => $ref ?? []);
  if (names.length === 0) return '';
  const always = required.filter((name) => !(name in properties)).map((name) => `\`${name}\``);
  return [
    ` It has the fields of ${andList(names.map(link))}`,
    then?.$ref === undefined ? '.' : ' where it is about one.',
    always.length === 0 ? '' : ` ${andList(always)} ${always.length === 1 ? 'is' : 'are'} always there.`,
  ].join('');
}

function andList(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(words);
}

function link($ref: string): string {
  const { title = '' } = resolveRef($ref);
  return `[${title.toLowerCase()}](#${title
    .toLowerCase()
    .replace(/[^\w ]/g, '')
    .replaceAll(' ', '-')})`;
}

function tableOf(schema: Schema): readonly string[] {
  const rows = rowsOf(schema, '');
  return rows.length === 0 ? [] : [markdownTable(['field', 'type', 'always', 'meaning'], rows)];
}

function rowsOf({ properties = {}, required = [] }: Schema, before: string): readonly (readonly string[])[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    if (name === 'schema') return [];
    const object = field.items ?? field;
    const inner =
      object.$ref === undefined ? rowsOf(object, `${before}${name}${field.items ? '[]' : ''}.`) : [];
    const meaning =
      field.description ?? (field.$ref === undefined ? '' : (resolveRef(field.$ref).description ?? ''));
    return [
      [
        `\`${before}${name}\``,
        typeOf(field),
        required.includes(name) ? 'yes' : '',
        `${meaning}${object.type === 'object' ? sharedWords(object) : ''}`,
      ],
      ...inner,
    ];
  });
}

const NAMED_TYPES: Readonly<Record<string, string>> = {
  instant: 'instant',
  ms: 'milliseconds',
  count: 'whole number',
  hex: 'hex',
  lines: 'list of strings',
  verdict: '[verdict](verdicts.md)',
  exitCode: '[exit code](#exit-codes)',
  errorCode: '[error code](#error-codes)',
};

function typeOf({ $ref, type, const: only, enum: several, items, oneOf }: Schema): string {
  if ($ref !== undefined) {
    const named = resolveRef($ref);
    return NAMED_TYPES[nameOf($ref)] ?? (named.title === undefined ? typeOf(named) : link($ref));
  }
  if (several) return several.map(valueWord).join(' | ');
  if (only !== undefined) return valueWord(only);
  if (items) return `list of ${items.type === 'object' ? 'objects' : typeOf(items)}`;
  if (oneOf && type === undefined) return oneOf.map(typeOf).join(' | ');
  if (type === undefined) return 'anything';
  return (typeof type === 'string' ? [type] : type)
    .map((word) => (word === 'integer' ? 'whole number' : word === 'null' ? '`null`' : word))
    .join(' | ');
}

function valueWord(value: unknown): string {
  return `\`${String(value)}\``;
}
