import * as z from 'zod/mini';
import { InvalidConfigError } from '../../lease/errors.js';
import { LINK_PLACEHOLDERS, unknownPlaceholder } from '../../lease/link.js';
import { readDuration } from '../../lease/ttl.js';
import type { LeaseConfig } from './define-config.js';
import { suggestion } from './nearest-name.js';
import { place } from './place.js';

type Path = readonly PropertyKey[];

/** The `error` of each part says what is expected there, as the end of a sentence. */
const text = (error: string) => z.optional(z.string({ error }).check(z.minLength(1, { error })));

const YES_OR_NO = z.optional(z.boolean({ error: 'true or false' }));

const NAME = z.string().check(z.minLength(1));

const TLS = z.strictObject(
  {
    servername: text('the name in the certificate as a string that is not empty'),
    ca: text('the path of a PEM file as a string that is not empty'),
    insecure: YES_OR_NO,
  },
  { error: 'an object with servername, ca or insecure' },
);

const TIMEOUT = 'a duration of more than 0 with its unit ("15s", "500ms")';

const LINK = `a URL with no other placeholder than ${LINK_PLACEHOLDERS.map((name) => `{${name}}`).join(', ')}`;

const BACKEND = z.strictObject(
  {
    backend: text('the name of a backend as a string that is not empty'),
    inspect: text('the name of a backend as a string that is not empty'),
    keyPrefix: text('a prefix as a string that is not empty'),
    timeout: z.optional(z.string({ error: TIMEOUT }).check(z.refine(isTimeout, { error: TIMEOUT }))),
    readOnly: YES_OR_NO,
    auditFile: text('the path of a file as a string that is not empty'),
    tls: z.optional(TLS),
    username: text('a user name as a string that is not empty'),
    password: z.optional(
      z.custom<string | (() => string | Promise<string>)>(isPassword, {
        error: 'a string that is not empty, or a function',
      }),
    ),
    links: z.optional(
      z.record(
        NAME,
        z
          .string({ error: 'a URL as a string' })
          .check(z.refine((link) => unknownPlaceholder(link) === undefined, { error: LINK })),
        { error: 'an object of URLs by name' },
      ),
    ),
  },
  { error: 'an object with a backend' },
);

const CONFIG = z.strictObject(
  {
    ...BACKEND.shape,
    contexts: z.optional(z.record(NAME, BACKEND, { error: 'an object of backends by name' })),
    defaultContext: text('the name of a context as a string that is not empty'),
  },
  { error: 'an object with a backend or contexts' },
);

/**
 * Checks a config. A message is one line: the file, the field, what was expected and of which kind the value is.
 * Values are not shown: any string may be a URL or a password, put into the wrong field too.
 *
 * @throws `ERR_LEASE_INVALID_CONFIG`
 */
export function parseConfig(value: unknown, file: string): LeaseConfig {
  const result = CONFIG.safeParse(value);
  if (result.success) {
    assertDefaultContext(result.data, file);
    return result.data;
  }
  const [issue, ...others] = result.error.issues;
  if (issue === undefined) throw new InvalidConfigError(`${place(file, [])}: expected a config`);
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  if (issue.code === 'unrecognized_keys') {
    const [name = ''] = issue.keys;
    const known = fieldsAt(issue.path);
    throw new InvalidConfigError(
      `${place(file, [...issue.path, name])}: unknown field, ${suggestion(name, known)}${more}`,
    );
  }
  if (issue.code === 'invalid_key') {
    throw new InvalidConfigError(
      `${place(file, issue.path.slice(0, -1))}: expected names that are not empty${more}`,
    );
  }
  throw new InvalidConfigError(
    `${place(file, issue.path)}: expected ${issue.message}, got ${kindOf(valueAt(value, issue.path), issue.path)}${more}`,
  );
}

function fieldsAt(path: Path): readonly string[] {
  if (path.at(-1) === 'tls') return Object.keys(TLS.shape);
  return Object.keys(path.length === 0 ? CONFIG.shape : BACKEND.shape);
}

function isTimeout(text: string): boolean {
  const reading = readDuration(text);
  return 'ms' in reading && reading.ms > 0;
}

function isPassword(value: unknown): boolean {
  return typeof value === 'function' || (typeof value === 'string' && value !== '');
}

function assertDefaultContext({ contexts = {}, defaultContext }: LeaseConfig, file: string): void {
  if (defaultContext === undefined || Object.hasOwn(contexts, defaultContext)) return;
  const got = /^[\w.-]{1,64}$/.test(defaultContext) ? JSON.stringify(defaultContext) : 'another string';
  throw new InvalidConfigError(
    `${place(file, ['defaultContext'])}: expected the name of one of the contexts, got ${got}: ${suggestion(defaultContext, Object.keys(contexts))}`,
  );
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, name) : undefined),
    value,
  );
}

/** What a value is, never the value; but a duration without its unit, or a placeholder, says more than its kind. */
function kindOf(value: unknown, path: Path): string {
  const placeholder =
    path.at(-2) === 'links' && typeof value === 'string' ? unknownPlaceholder(value) : undefined;
  if (placeholder !== undefined) return `{${placeholder}}`;
  if (path.at(-1) === 'timeout' && /^-?[\d.]{1,12}[a-z]{0,8}$/.test(String(value)))
    return JSON.stringify(value);
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (value === '') return 'an empty string';
  if (Array.isArray(value)) return 'an array';
  return /^[aeiou]/.test(typeof value) ? `an ${typeof value}` : `a ${typeof value}`;
}
