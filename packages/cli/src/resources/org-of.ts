import type { ResourceCall } from './resource.ts'

/** Returns the id of the organization that is named, else of the one that owns the project. */
export async function orgOf({ mortise, signal, options }: ResourceCall): Promise<string> {
  return options.org ?? (await mortise.getProject({}, { signal })).orgId
}
