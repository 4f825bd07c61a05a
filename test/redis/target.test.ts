import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidConfigError } from '../../src/lease/errors.js';
import { parseRedisUrl } from '../../src/providers/redis/target.js';

describe('a Redis URL', () => {
  const server = (host: string, port = 6379) => ({ kind: 'servers', addresses: [{ host, port }] });
  test.each([
    ['redis://', server('localhost'), 'redis://localhost:6379/0', {}],
    ['redis://cache', server('cache'), 'redis://cache:6379/0', {}],
    ['REDIS://cache:6380/', server('cache', 6380), 'redis://cache:6380/0', {}],
    ['redis://:6380', server('localhost', 6380), 'redis://localhost:6380/0', {}],
    ['redis://cache/3', server('cache'), 'redis://cache:6379/3', { database: 3 }],
    ['redis://cache?db=4', server('cache'), 'redis://cache:6379/4', { database: 4 }],
    ['redis://u:p@cache', server('cache'), 'redis://cache:6379/0', { username: 'u', password: 'p' }],
    ['redis://:p%40%2F%23@cache', server('cache'), 'redis://cache:6379/0', { password: 'p@/#' }],
    ['redis://u@cache', server('cache'), 'redis://cache:6379/0', { username: 'u' }],
    ['redis://u:@cache', server('cache'), 'redis://cache:6379/0', { username: 'u' }],
    ['redis://u:a@b@cache', server('cache'), 'redis://cache:6379/0', { username: 'u', password: 'a@b' }],
    ['redis://[::1]:7/1', server('::1', 7), 'redis://[::1]:7/1', { database: 1 }],
    ['rediss://cache', server('cache'), 'rediss://cache:6379/0', { tls: true }],
    ['valkeys://cache', server('cache'), 'valkeys://cache:6379/0', { tls: true }],
    [
      'redis+cluster://a,b:7,[::1]:8',
      {
        kind: 'servers',
        addresses: [
          { host: 'a', port: 6379 },
          { host: 'b', port: 7 },
          { host: '::1', port: 8 },
        ],
      },
      'redis+cluster://a:6379,b:7,[::1]:8',
      {},
    ],
    [
      'rediss+sentinel://u:p@a,b:7/main?db=2&sentinelUsername=s&sentinelPassword=t',
      {
        kind: 'sentinels',
        addresses: [
          { host: 'a', port: 26_379 },
          { host: 'b', port: 7 },
        ],
        name: 'main',
        username: 's',
        password: 't',
      },
      'rediss+sentinel://a:26379,b:7/main/2',
      { tls: true, database: 2, username: 'u', password: 'p' },
    ],
    [
      'redis+unix://u:p@/run/redis%20a.sock?db=1',
      { kind: 'servers', addresses: [{ path: '/run/redis a.sock' }] },
      'redis+unix:///run/redis a.sock?db=1',
      { database: 1, username: 'u', password: 'p' },
    ],
  ])('%s', (url, via, name, rest) => {
    expect(parseRedisUrl(url)).toEqual({ via, name, tls: false, database: 0, ...rest });
  });

  test.each([
    ['', /Expected a Redis URL/],
    ['cache:6379', /Expected a Redis URL/],
    ['http://cache', /Expected a Redis URL/],
    ['rediss+unix:///run/redis.sock', /Expected a Redis URL/],
    ['redis://a,b', /redis\+cluster:\/\/h1,h2/],
    ['redis://cache:0', /host and port/],
    ['redis://cache:65536', /host and port/],
    ['redis://cache:port', /host and port/],
    ['redis://ca che', /host and port/],
    ['redis://::1', /host and port/],
    ['redis://cache/x', /database number/],
    ['redis://cache/-1', /database number/],
    ['redis://cache/1/2', /database number/],
    ['redis://cache?db=1e3', /database number/],
    ['redis://u:%zz@cache', /%25/],
    ['redis+cluster://a,b/1', /only database 0/],
    ['redis+sentinel://a,b', /name of the primary/],
    ['redis+sentinel://a,b/main/x', /database number/],
    ['redis+sentinel://a,b/main/1/2', /database number/],
    ['redis://cache?Db=1', /unknown name/],
    ['redis://cache?tls=true', /unknown name/],
    ['redis+unix://host/run/redis.sock', /redis\+unix:\/\/\/path/],
    ['redis+unix://', /redis\+unix:\/\/\/path/],
    ['redis://:pa#ss@cache', /%23/],
    ['redis://:pa/ss@cache', /%2F/],
    ['redis://:1?x@cache', /%3F/],
    ['redis+sentinel://:p@a/b@cache/main', /%40/],
  ])('%s is refused, and said what was expected', (url, says) => {
    expect(() => parseRedisUrl(url)).toThrow(InvalidConfigError);
    expect(() => parseRedisUrl(url)).toThrow(says);
  });
});

const SCHEMES = [
  'redis',
  'rediss',
  'valkey',
  'redis+cluster',
  'redis+sentinel',
  'redis+unix',
  'http',
  'Redis+Cluster',
];

/** A password that no message holds by chance, with the characters on which URLs break. */
const passwords = fc
  .array(fc.oneof(fc.constantFrom(...'#/@?:%&=+,[]\\ "\''), fc.string({ minLength: 1, maxLength: 3 })), {
    minLength: 1,
  })
  .map((parts) =>
    parts
      .flatMap((part) => ['Qx7', part])
      .join('')
      .concat('Qx7'),
  );

test('no password of a URL is in a thrown message or in the printed name, however it was written', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...SCHEMES),
      passwords,
      fc.boolean(),
      fc.constantFrom('', 'u'),
      fc.constantFrom('', 'cache', 'cache:6379', 'a,b', '/run/redis.sock', 'cache:x'),
      fc.constantFrom('', '/', '/main', '/0', '/x', '?db=1', '/main?sentinelPassword=Qx7s'),
      (scheme, password, isEscaped, user, host, path) => {
        const written = isEscaped ? encodeURIComponent(password) : password;
        let text: string;
        try {
          text = parseRedisUrl(`${scheme}://${user}:${written}@${host}${path}`).name;
        } catch (error) {
          if (!(error instanceof InvalidConfigError)) throw error;
          text = `${error.message} ${error.remedy} ${error.stack}`;
        }
        expect(text).not.toContain('Qx7');
      },
    ),
    { numRuns: 3_000 },
  );
});

test('what is escaped comes back exactly', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.string({ unit: 'grapheme', minLength: 1 }),
      (username, password) => {
        const url = `redis://${encodeURIComponent(username)}:${encodeURIComponent(password)}@cache/5`;
        expect(parseRedisUrl(url)).toMatchObject({ username, password, database: 5 });
      },
    ),
  );
});
