import type { Scope } from '../request.ts'
import type { Session } from '../session.ts'

/** What a source needs to ask the provider. */
export interface Asking {
  session: Session
  base: URL
  scope: Scope
  signal: AbortSignal | undefined
  /** Milliseconds since 1970. */
  now: () => number
  /** Called with the object's label if a response has it. */
  labelled(text: string): void
}
