/** One verb in one situation, on any backend, with its output in a pipe. */
export interface VerbRow {
  readonly situation: string;
  /** Who holds what before: key to owner, each for a minute. */
  readonly held?: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly exitCode: number;
  /** Exactly; milliseconds left are written `MS`. */
  readonly stdout: string;
  /** In this order, each somewhere in stderr. */
  readonly stderr: readonly string[];
  /** Who holds what afterwards; as before where it is left out. */
  readonly after?: Readonly<Record<string, string>>;
}

const DEPLOY = { deploy: 'run-1' };

/** Every verb: done, held by another, free. */
export const VERB_ROWS: readonly VerbRow[] = [
  {
    situation: 'acquire of a free key',
    args: ['acquire', 'deploy', '--owner', 'run-1'],
    exitCode: 0,
    stdout: 'run-1\n',
    stderr: ["acquired: deploy is run-1's for 1", 's (until ', 'nothing renews it'],
    after: DEPLOY,
  },
  {
    situation: 'acquire of what the owner holds already',
    held: DEPLOY,
    args: ['acquire', 'deploy', '--owner', 'run-1', '--ttl', '2m'],
    exitCode: 0,
    stdout: 'run-1\n',
    stderr: ["refreshed: deploy is run-1's for ", 'nothing renews it'],
  },
  {
    situation: 'acquire of what another holds',
    held: DEPLOY,
    args: ['acquire', 'deploy', '--owner', 'run-2'],
    exitCode: 3,
    stdout: '',
    stderr: ["held: deploy is run-1's for another 5", 'mastra-lease owner deploy'],
  },
  {
    situation: 'owner of a held key',
    held: DEPLOY,
    args: ['owner', 'deploy'],
    exitCode: 0,
    stdout: 'run-1\n',
    stderr: [],
  },
  {
    situation: 'owner of a free key',
    args: ['owner', 'deploy'],
    exitCode: 4,
    stdout: '',
    stderr: ['free: nobody holds deploy'],
  },
  {
    situation: 'owner of several keys',
    held: DEPLOY,
    args: ['owner', 'deploy', 'nightly'],
    exitCode: 4,
    stdout: 'deploy\theld\trun-1\tMS\nnightly\tfree\t-\t-\n',
    stderr: ['free: nobody holds nightly'],
  },
  {
    situation: 'release by the owner',
    held: { deploy: 'run-1', nightly: 'run-1' },
    args: ['release', 'deploy', '--owner', 'run-1'],
    exitCode: 0,
    stdout: 'released\n',
    stderr: ["released: deploy is no longer run-1's"],
    after: { nightly: 'run-1' },
  },
  {
    situation: 'release of what another holds',
    held: DEPLOY,
    args: ['release', 'deploy', '--owner', 'run-2'],
    exitCode: 3,
    stdout: 'held-by-other\n',
    stderr: ["held: deploy is run-1's for another ", '--owner run-1'],
  },
  {
    situation: 'release of a free key',
    args: ['release', 'deploy', '--owner', 'run-1'],
    exitCode: 4,
    stdout: 'no-lease\n',
    stderr: ['no lease: nobody holds deploy'],
  },
  {
    situation: 'release of a free key that may be free',
    args: ['release', 'deploy', '--owner', 'run-1', '--missing-ok'],
    exitCode: 0,
    stdout: 'no-lease\n',
    stderr: ['no lease: nobody holds deploy'],
  },
  {
    situation: 'release of several keys, of which one is held by another',
    held: { a: 'run-1', b: 'run-2' },
    args: ['release', 'a', 'b', 'c', '--owner', 'run-1'],
    exitCode: 3,
    stdout: 'a\treleased\t-\t-\nb\theld-by-other\trun-2\tMS\nc\tno-lease\t-\t-\n',
    stderr: ["released: a is no longer run-1's", "held: b is run-2's", 'no lease: nobody holds c'],
    after: { b: 'run-2' },
  },
  {
    situation: 'release of the holder that was shown',
    held: DEPLOY,
    args: ['release', 'deploy', '--force', '--yes'],
    exitCode: 0,
    stdout: 'released\n',
    stderr: ["holder: deploy is run-1's (5", "released: deploy is no longer run-1's"],
    after: {},
  },
  {
    situation: 'renew by the owner',
    held: DEPLOY,
    args: ['renew', 'deploy', '--owner', 'run-1', '--ttl', '3m'],
    exitCode: 0,
    stdout: 'renewed\n',
    stderr: ["renewed: deploy is run-1's for ", '(until '],
  },
  {
    situation: 'renew of what another holds',
    held: DEPLOY,
    args: ['renew', 'deploy', '--owner', 'run-2'],
    exitCode: 3,
    stdout: 'held-by-other\n',
    stderr: ["held: deploy is run-1's", '--owner run-1'],
  },
  {
    situation: 'renew of a free key, which creates nothing',
    args: ['renew', 'deploy', '--owner', 'run-1'],
    exitCode: 4,
    stdout: 'no-lease\n',
    stderr: ['no lease: nobody holds deploy', 'mastra-lease acquire --owner run-1 deploy'],
  },
  {
    situation: 'transfer by the owner',
    held: DEPLOY,
    args: ['transfer', 'deploy', '--from', 'run-1', '--to', 'run-2'],
    exitCode: 0,
    stdout: 'transferred\n',
    stderr: ['moved: deploy went from run-1 to run-2, for 1', 'nothing renews it'],
    after: { deploy: 'run-2' },
  },
  {
    situation: 'transfer of what another holds',
    held: DEPLOY,
    args: ['transfer', 'deploy', '--from', 'run-9', '--to', 'run-2'],
    exitCode: 3,
    stdout: 'held-by-other\n',
    stderr: ["held: deploy is run-1's", '--from run-1'],
  },
  {
    situation: 'transfer of a free key, which creates nothing',
    args: ['transfer', 'deploy', '--from', 'run-1', '--to', 'run-2'],
    exitCode: 4,
    stdout: 'no-lease\n',
    stderr: ['no lease: nobody holds deploy', '--or-acquire'],
  },
  {
    situation: 'transfer of a free key that may be acquired afresh',
    args: ['transfer', 'deploy', '--from', 'run-1', '--to', 'run-2', '--or-acquire'],
    exitCode: 0,
    stdout: 'acquired\n',
    stderr: ["acquired: deploy is run-2's for 1"],
    after: { deploy: 'run-2' },
  },
  {
    situation: 'transfer, or acquiring afresh, of what another holds',
    held: DEPLOY,
    args: ['transfer', 'deploy', '--from', 'run-9', '--to', 'run-2', '--or-acquire'],
    exitCode: 3,
    stdout: 'held-by-other\n',
    stderr: ["held: deploy is run-1's"],
  },
  {
    situation: 'list of two leases',
    held: { 'user-42\0t-1': 'run-1', nightly: 'job 7' },
    args: ['list', '--sort', 'kind'],
    exitCode: 0,
    stdout: 'other\tnightly\tjob 7\tMS\tok\t-\t-\nthread\tuser-42\\0t-1\trun-1\tMS\tok\tuser-42\tt-1\n',
    stderr: ['2 leases'],
  },
  { situation: 'list of nothing', args: ['list'], exitCode: 0, stdout: '', stderr: ['0 leases'] },
];
