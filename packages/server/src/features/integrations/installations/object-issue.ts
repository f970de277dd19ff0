/** What is wrong with one object of a config. */
export interface ObjectIssue {
  /** Keys from the object to the place. */
  path: string[]
  value?: unknown
  detail: string
  remedy?: string
}
