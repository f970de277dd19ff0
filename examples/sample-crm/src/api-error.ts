/** One thing that is wrong with a request. */
export interface Fault {
  /** The parameter or field. */
  readonly field: string
  readonly message: string
}

/** An answer that tells of a failure: `{"error": {"code", "message", "field"?, "faults"?}}`. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** The parameter or field that is wrong; the first of several. */
  readonly field: string | undefined
  /** All that is wrong with a record. */
  readonly faults: readonly Fault[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    {
      field,
      faults,
      headers = {},
    }: { field?: string; faults?: readonly Fault[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
    this.faults = faults
    this.headers = headers
  }

  toJSON() {
    const { code, message, field, faults } = this
    return { error: { code, message, ...(field && { field }), ...(faults && { faults }) } }
  }
}

/** 400 that names the wrong parameter or field. */
export function invalid(field: string, expected: string): ApiError {
  return new ApiError(400, 'invalid_parameter', fault(field, expected).message, { field })
}

export function fault(field: string, expected: string): Fault {
  return { field, message: `${field}: expected ${expected}` }
}

/** 400 that names every wrong field, the first one as `field`. */
export function invalidAll(faults: readonly Fault[]): ApiError {
  const message = faults.map((one) => one.message).join('; ')
  return new ApiError(400, 'invalid_parameter', message, { ...(faults[0] && { field: faults[0].field }), faults })
}
