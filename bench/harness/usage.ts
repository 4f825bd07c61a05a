import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

/** Of Linux' clock ticks there are so many in a second. */
const TICKS = 100;

/** The seconds of a core that a process has used so far, as Linux counts them. */
export function cpuSecondsOf(pid: number): number {
  const [, text = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const fields = text.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** The memory that a process has now, and the most that it had, in megabytes. */
export function memoryOf(pid: number): { readonly nowMb: number; readonly mostMb: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1_024;
  return { nowMb: megabytes('VmRSS'), mostMb: megabytes('VmHWM') };
}

/** What a server has done so far. */
export interface ServerUsage {
  readonly commands: number;
  readonly cpuSeconds: number;
}

export async function usageOf(client: Redis): Promise<ServerUsage> {
  const info = await client.info();
  const number = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1]);
  return {
    commands: number('total_commands_processed'),
    cpuSeconds: number('used_cpu_user') + number('used_cpu_sys'),
  };
}
