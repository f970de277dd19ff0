import type { Issue } from './problem.ts'

/** A stored secret that a request does not contain. */
export interface KeptSecret {
  /** Its path in the body. */
  path: string
  /** Who would get it after the change, normalized. */
  receivers: readonly string[]
  /** Who gets it before. */
  before: readonly string[]
  /** Paths of the values in the body that decide it and change. */
  decidedBy: readonly string[]
}

/**
 * Returns an issue for each stored secret that a change would give to somebody who does not get it now. Only who sends
 * a secret decides who gets it: otherwise, everybody who may change an address could read secrets that nobody is shown
 * (decision 0135).
 */
export function keptSecretIssues(secrets: readonly KeptSecret[]): Issue[] {
  return secrets
    .filter(({ receivers, before }) => receivers.some((receiver) => !before.includes(receiver)))
    .map(({ path, decidedBy }) => ({
      in: 'body',
      name: path,
      detail: `${path} is needed again: ${decidedBy.join(' and ')} would send the stored value to another receiver.`,
      remedy: 'Send the value in the same request, with its path in updateMask.',
      context: { code: 'secret-needed', changed: [...decidedBy] },
    }))
}
