import { type ReactNode, useInsertionEffect, useRef } from 'react';

interface LifetimeProps {
  /** Called once, when the tree is taken down, whatever takes it down. */
  readonly onEnd: () => void;
  readonly children: ReactNode;
}

/** Tells when the screen is taken down. */
export function Lifetime({ onEnd, children }: LifetimeProps) {
  const end = useRef(onEnd);
  useInsertionEffect(() => () => end.current(), []);
  return children;
}
