import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readEnvFiles, skipsEnvFiles } from '../../../../src/backend/module/env-files.js';
import { makeTempDir } from '../../../support/temp-dir.js';

describe('the variables of a project', () => {
  it('are those of the first file that Mastra looks for, and of no other', async () => {
    await using project = await makeTempDir();
    expect(readEnvFiles(project.path)).toEqual({ files: [], values: {} });
    for (const name of ['.env', '.env.local', '.env.development']) {
      await writeFile(join(project.path, name), `FROM=${name}\n${name.replaceAll('.', '_')}=1\n`);
      const values = { FROM: name, [name.replaceAll('.', '_')]: '1' };
      expect(readEnvFiles(project.path)).toEqual({ files: [join(project.path, name)], values });
    }
  });

  it('are none where .env is a folder', async () => {
    await using project = await makeTempDir();
    await mkdir(join(project.path, '.env'));
    expect(readEnvFiles(project.path)).toEqual({ files: [], values: {} });
  });

  it('are those of the file that is named', async () => {
    await using project = await makeTempDir();
    const other = join(project.path, 'other.env');
    await writeFile(join(project.path, '.env'), 'A=1');
    await writeFile(other, 'B=2');
    expect(readEnvFiles(project.path, other)).toEqual({ files: [other], values: { B: '2' } });
  });

  it('are an error where the file that is named cannot be read', async () => {
    await using project = await makeTempDir();
    const read = (name: string) => () => readEnvFiles(project.path, join(project.path, name));
    expect(read('none.env')).toThrow(/^Expected a readable file of variables, got .*none\.env \(ENOENT\)$/);
    expect(read('.')).toThrow(/EISDIR/);
  });

  it.each([
    [
      'quotes, comments and export',
      'export A = "x # y" # z\nB=\'a "b"\' #c\nC=x#y\nD=`l"m\'n`',
      { A: 'x # y', B: 'a "b"', C: 'x', D: 'l"m\'n' },
    ],
    [
      'several lines',
      'KEY="-----BEGIN-----\nabc\n-----END-----"\nB=1',
      { KEY: '-----BEGIN-----\nabc\n-----END-----', B: '1' },
    ],
    ['escapes in double quotes only', 'A="a\\nb"\nB=\'a\\nb\'', { A: 'a\nb', B: 'a\\nb' }],
    ['an empty value with a space behind it', 'A= \nB=1', { A: '', B: '1' }],
    ['JSON in double quotes', 'A="{\\"k\\":1}"', { A: '{\\"k\\":1}' }],
    ['colons, a byte order mark, Windows lines', '\uFEFFA: 1\r\nB="2"\r\n', { A: '1', B: '2' }],
    ['nothing that is expanded', 'A=1\nB=$A', { A: '1', B: '$A' }],
  ])('are read by the rules of dotenv: %s', async (_, text, values) => {
    await using project = await makeTempDir();
    await writeFile(join(project.path, '.env'), text);
    expect(readEnvFiles(project.path).values).toEqual(values);
  });

  it('are left alone where Mastra is told so', () => {
    expect(
      ['true', '1', '0', 'false', '', undefined].map((value) => skipsEnvFiles({ MASTRA_SKIP_DOTENV: value })),
    ).toEqual([true, true, false, false, false, false]);
  });
});
