import type { Pager } from './pager.ts'

/** One answer holds everything. */
export function nonePager(): Pager {
  return { variables: () => ({}), next: () => undefined }
}
