/** What a link's template may name, in braces. */
export const LINK_PLACEHOLDERS = ['owner', 'run', 'thread', 'resource', 'process'] as const;

/** One of {@link LINK_PLACEHOLDERS}. */
export type LinkPlaceholder = (typeof LINK_PLACEHOLDERS)[number];

/** Braces around anything but a name are no placeholder: URLs may carry JSON. */
const PLACEHOLDER = /\{([\w .-]{0,40})\}/g;

/** The first name in braces that is none of {@link LINK_PLACEHOLDERS}. */
export function unknownPlaceholder(template: string): string | undefined {
  return [...template.matchAll(PLACEHOLDER)]
    .map(([, name = '']) => name)
    .find((name) => !isPlaceholder(name));
}

/** Puts values, URL-encoded, into a template; `undefined` where one that it names is not known. */
export function fillLink(
  template: string,
  values: Readonly<Partial<Record<LinkPlaceholder, string>>>,
): string | undefined {
  let isWhole = true;
  const link = template.replace(PLACEHOLDER, (_, name: string) => {
    const value = isPlaceholder(name) ? values[name] : undefined;
    if (value === undefined) isWhole = false;
    return encodeURIComponent((value ?? '').toWellFormed());
  });
  return isWhole ? link : undefined;
}

function isPlaceholder(name: string): name is LinkPlaceholder {
  return LINK_PLACEHOLDERS.some((known) => known === name);
}
