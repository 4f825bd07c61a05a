/** Compiled by the check, never run: our contract and Mastra's are one and the same. */
import type { LeaseProvider as MastraLeaseProvider } from '@mastra/core/events';
import type { AcquireResult, LeaseProvider } from '../../src/lease/provider.js';

export function oursIsTheirs(ours: LeaseProvider): MastraLeaseProvider {
  return ours;
}

export function theirsIsOurs(theirs: MastraLeaseProvider): LeaseProvider {
  return theirs;
}

/** Holds for one and the same type only, where assigning is also allowed with fewer parameters or a looser answer. */
type Same<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
type Expect<Holds extends true> = Holds;
type Written<Type> = { [Key in keyof Type]: Type[Key] };

export type TheMethodsAreTheSame = Expect<Same<keyof LeaseProvider, keyof MastraLeaseProvider>>;
export type TheirParametersAreTheSame = Expect<
  {
    [Name in keyof LeaseProvider]: Same<
      Parameters<LeaseProvider[Name]>,
      Parameters<MastraLeaseProvider[Name]>
    >;
  }[keyof LeaseProvider]
>;
export type TheAnswersAreTheSame = Expect<
  {
    [Name in Exclude<keyof LeaseProvider, 'acquireLease'>]: Same<
      ReturnType<LeaseProvider[Name]>,
      ReturnType<MastraLeaseProvider[Name]>
    >;
  }[Exclude<keyof LeaseProvider, 'acquireLease'>]
>;
export type AcquiringAnswersTheSame = Expect<
  Same<Written<AcquireResult>, Written<Awaited<ReturnType<MastraLeaseProvider['acquireLease']>>>>
>;
