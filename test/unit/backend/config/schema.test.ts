import { describe, expect, it } from 'vitest';
import { defineConfig, type LeaseConfig } from '../../../../src/backend/config/define-config.js';
import { parseConfig } from '../../../../src/backend/config/schema.js';
import { failureOf } from './project.js';

const FILE = '/app/mastra-lease.config.json';
const refusal = (config: unknown, file = FILE) => failureOf(() => parseConfig(config, file));

describe('a config', () => {
  it('may use every field, at its top and in each context', async () => {
    const fields = {
      backend: 'rediss://user:secret@cache:6380/1',
      inspect: 'redis://cache',
      keyPrefix: 'mastra:my-app',
      timeout: '1.5s',
      readOnly: true,
      tls: { servername: 'cache', ca: './ca.pem', insecure: false },
      username: 'ops',
      password: async () => 'token',
      links: {
        run: 'https://logs.example/{run}?owner={owner}',
        grafana: 'https://g/{process}/{resource}/{thread}',
      },
    };
    const config = defineConfig({ ...fields, contexts: { prod: fields, other: {} }, defaultContext: 'prod' });
    expect(parseConfig(config, FILE)).toEqual(config);
  });

  it('may be empty, and may leave fields undefined, as a variable that is not set does', async () => {
    expect(parseConfig({}, FILE)).toEqual({});
    const config: LeaseConfig = { backend: undefined, contexts: { prod: { backend: undefined } } };
    expect(parseConfig(config, FILE)).toEqual(config);
  });

  it('keeps the password function itself, to be asked at each connect', async () => {
    const password = () => 'token';
    expect(parseConfig({ password }, FILE).password).toBe(password);
  });

  it.each([
    [{ backnd: 'local' }, 'backnd: unknown field, did you mean backend?'],
    [
      { contexts: { prod: { readonly: true } } },
      'contexts.prod.readonly: unknown field, did you mean readOnly?',
    ],
    [{ tls: { cert: 'x' } }, 'tls.cert: unknown field, there are servername, ca, insecure'],
    [
      { contexts: { prod: { defaultContext: 'x' } } },
      'contexts.prod.defaultContext: unknown field, there are backend, inspect, keyPrefix, timeout, readOnly, auditFile, tls, username, password, links',
    ],
    [{ backend: 5 }, 'backend: expected the name of a backend as a string that is not empty, got a number'],
    [
      { backend: '' },
      'backend: expected the name of a backend as a string that is not empty, got an empty string',
    ],
    [{ backend: null }, 'backend: expected the name of a backend as a string that is not empty, got null'],
    [{ keyPrefix: '' }, 'keyPrefix: expected a prefix as a string that is not empty, got an empty string'],
    [{ readOnly: 'yes' }, 'readOnly: expected true or false, got a string'],
    [{ tls: true }, 'tls: expected an object with servername, ca or insecure, got a boolean'],
    [{ tls: { insecure: 1 } }, 'tls.insecure: expected true or false, got a number'],
    [{ password: 12345 }, 'password: expected a string that is not empty, or a function, got a number'],
    [{ password: '' }, 'password: expected a string that is not empty, or a function, got an empty string'],
    [{ links: ['x'] }, 'links: expected an object of URLs by name, got an array'],
    [{ links: { run: 1 } }, 'links.run: expected a URL as a string, got a number'],
    [{ links: { '': 'x' } }, 'links: expected names that are not empty'],
    [
      { links: { run: 'https://logs.example/{run}/{runId}' } },
      'links.run: expected a URL with no other placeholder than {owner}, {run}, {thread}, {resource}, {process}, got {runId}',
    ],
    [
      { contexts: { prod: { links: { 'a b': '{}' } } } },
      'contexts.prod.links["a b"]: expected a URL with no',
    ],
    [{ contexts: [] }, 'contexts: expected an object of backends by name, got an array'],
    [{ contexts: { prod: 'redis://x' } }, 'contexts.prod: expected an object with a backend, got a string'],
    [{ contexts: { 'a b': { backend: 1 } } }, 'contexts["a b"].backend: expected the name of'],
    [{ contexts: { '': {} } }, 'contexts: expected names that are not empty'],
  ])('with a wrong field is refused by its name: %j', async (config, expected) => {
    expect(await refusal(config)).toContain(`${FILE}: ${expected}`);
  });

  it.each([
    ['30', '"30"'],
    [30, '30'],
    ['0', '"0"'],
    ['-5s', '"-5s"'],
    ['15sec', '"15sec"'],
    ['', 'an empty string'],
    ['redis://:secret@cache', 'a string'],
  ])('with the timeout %j is refused: a duration has a unit', async (timeout, got) => {
    expect(await refusal({ timeout })).toBe(
      `${FILE}: timeout: expected a duration of more than 0 with its unit ("15s", "500ms"), got ${got}`,
    );
  });

  it.each([
    [{ defaultContext: 'prd', contexts: { prod: {} } }, 'got "prd": did you mean prod?'],
    [
      { defaultContext: 'other', contexts: { prod: {}, staging: {} } },
      'got "other": there are prod, staging',
    ],
    [{ defaultContext: 'prod' }, 'got "prod": there are none'],
    [{ defaultContext: 'constructor', contexts: {} }, 'got "constructor": there are none'],
  ])('whose default context is not there is refused: %j', async (config, expected) => {
    expect(await refusal(config)).toBe(
      `${FILE}: defaultContext: expected the name of one of the contexts, ${expected}`,
    );
  });

  it.each([[null], [[]], ['local'], [() => ({})], [undefined]])(
    'is an object and nothing else (%#)',
    async (value) => {
      expect(await refusal(value)).toMatch(
        /: expected an object with a backend or contexts, got (null|an array|a string|a function|nothing)$/,
      );
    },
  );

  it('of package.json is named with its field', async () => {
    expect(await refusal({ backend: 1 }, '/app/package.json')).toMatch(
      /^\/app\/package\.json: mastra-lease\.backend: /,
    );
    expect(await refusal([], '/app/package.json')).toMatch(
      /^\/app\/package\.json: mastra-lease: expected an object/,
    );
  });

  it('with several faults names the first and counts the others', async () => {
    expect(await refusal({ backend: 1, readOnly: 1, timeout: 1 })).toMatch(/: backend: .*\(and 2 more\)$/);
  });

  it.each([
    'backend',
    'inspect',
    'keyPrefix',
    'timeout',
    'username',
    'password',
    'readOnly',
    'tls',
    'links',
    'defaultContext',
    'contexts',
  ])('never shows what is in %s: a URL or a password may be in any field', async (field) => {
    for (const value of ['redis://:s3cr3t@cache', ['s3cr3t'], { s3cr3t: { s3cr3t: 's3cr3t' } }]) {
      const message = await refusal({ [field]: value, contexts: 7 });
      expect(message.replace(/contexts\.s3cr3t|links\.s3cr3t|tls\.s3cr3t/g, '')).not.toContain('s3cr3t');
    }
  });

  it('has no context by inheritance', async () => {
    const config = parseConfig(JSON.parse('{"contexts": {"__proto__": {"backend": "local"}}}'), FILE);
    expect(Object.keys(config.contexts ?? {})).not.toContain('backend');
    expect(Reflect.get({}, 'backend')).toBeUndefined();
  });
});
