import { basename } from 'node:path'
import type { Catalogue, CatalogueFault } from '@mortise/providers'

/** Returns the name of the provider that a broken file would describe: files are named after their provider. */
export function providerOfFault({ file }: CatalogueFault): string {
  return basename(file).replace(/\.ya?ml$/, '')
}

/** Whether there is a file for the provider that cannot be used. */
export function hasBrokenFile({ faults }: Catalogue, provider: string): boolean {
  return faults.some((fault) => providerOfFault(fault) === provider)
}

/**
 * What to say, and to do, where a provider is missing although its file is there. Faults themselves are for the
 * operator alone.
 */
export const brokenFile = {
  detail: (provider: string) => `The provider file of ${JSON.stringify(provider)} has errors, so it is not in use.`,
  remedy: 'Run `mortise doctor` to see the errors, and correct the file. No restart is needed.',
}
