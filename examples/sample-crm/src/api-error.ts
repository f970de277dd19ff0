/** An answer other than 200: `{"error": {"code", "message", "field"?}}`. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  /** The parameter or field that is wrong. */
  readonly field: string | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    { field, headers = {} }: { field?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
    this.headers = headers
  }

  toJSON() {
    return { error: { code: this.code, message: this.message, ...(this.field && { field: this.field }) } }
  }
}

/** 400 that names the wrong parameter or field. */
export function invalid(field: string, expected: string): ApiError {
  return new ApiError(400, 'invalid_parameter', `${field}: expected ${expected}`, { field })
}
