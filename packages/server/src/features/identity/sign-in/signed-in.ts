import type { AuditNote } from '../../../kernel/http/index.ts'

/** Returns the note of a request of a person whom no credential has named. */
export function signedIn({ id, email }: { id: string; email: string }): AuditNote {
  return { actor: { kind: 'person', id, name: email }, resourceId: id, outcome: 'success' }
}
