/** Joins the names of classes; leaves out what is not set. */
export function classes(...names: (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ')
}
