import type { Scope } from '../request.ts'
import type { Session } from '../session.ts'

/** What a source needs to ask the provider. */
export interface Asking {
  session: Session
  base: URL
  scope: Scope
  signal: AbortSignal | undefined
  /** Called with the object's label if a response has it. */
  labelled(text: string): void
}
