/** Takes the user info out of every URL in a text that others wrote: it may hold a password. */
export function withoutUserInfo(text: string): string {
  return text.replace(/:\/\/[^/\s]*@/g, '://…@');
}
