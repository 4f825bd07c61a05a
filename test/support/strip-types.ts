/** What a Node needs to run TypeScript by itself: 22.13 strips types only when asked, and warns about it. */
export const STRIP_TYPES: string[] = process.features.typescript
  ? []
  : ['--experimental-strip-types', '--no-warnings'];
