import type { Client } from '@mortise/client'
import type { Command, ServiceOptions } from '../command.ts'

/** Options that select the log of a project or of an organization. */
export interface LogOptions extends ServiceOptions {
  /** True: the organization of the project. */
  org?: string | true
}

/** Adds `--org`. */
export function withOrg(command: Command): Command {
  return command.option('--org [id]', 'the log of an organization; without id, of the one that owns the project')
}

/** Returns the organization whose log is meant; undefined for the log of the project. */
export async function orgOfLog(mortise: Client, { org }: LogOptions, signal: AbortSignal): Promise<string | undefined> {
  if (org !== true) return org
  return (await mortise.getProject({}, { signal })).orgId
}
