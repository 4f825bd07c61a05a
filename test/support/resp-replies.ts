/** What a server may answer, as RESP2 bytes, for {@link startRespStub}. */
export const resp = {
  simple: (text: string) => `+${text}\r\n`,
  /** `text` starts with the code: `LOADING Redis is loading the dataset in memory`. */
  error: (text: string) => `-${text}\r\n`,
  integer: (value: number) => `:${value}\r\n`,
  nil: '$-1\r\n',
  bulk: (text: string) => `$${Buffer.byteLength(text)}\r\n${text}\r\n`,
  /** An array of replies that are encoded already. */
  array: (...items: readonly string[]) => `*${items.length}\r\n${items.join('')}`,
} as const;

/** The answer to HELLO of a server in this role. */
export function helloReply(role: 'master' | 'replica', version = '7.0.15'): string {
  const text = (name: string, value: string) => [resp.bulk(name), resp.bulk(value)];
  return resp.array(
    ...text('server', 'redis'),
    ...text('version', version),
    resp.bulk('proto'),
    resp.integer(2),
    resp.bulk('id'),
    resp.integer(1),
    ...text('mode', 'standalone'),
    ...text('role', role),
    resp.bulk('modules'),
    resp.array(),
  );
}
