/** Why a source cannot be deployed. All of it may be shown, apart from the cause. */
export class SourceRefused extends Error {
  override name = 'SourceRefused'
  /** Machine code of the rule that was broken. */
  readonly rule: string
  /** What to do about it. */
  readonly remedy: string
  constructor(rule: string, message: string, remedy: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.rule = rule
    this.remedy = remedy
  }
}
