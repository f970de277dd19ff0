import type { ExitCode } from './exit-codes.ts'

/** Ends a command that has said already what there is to say. */
export class Exit extends Error {
  readonly code: ExitCode
  constructor(code: ExitCode) {
    super(`exit ${code}`)
    this.code = code
  }
}
