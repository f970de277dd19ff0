/** Something wrong in a provider file, by its place in the document. */
export interface Flaw {
  path: readonly (string | number)[]
  message: string
  /** The rest of the file can be checked although this is wrong. */
  isUnknownKey?: boolean
}
