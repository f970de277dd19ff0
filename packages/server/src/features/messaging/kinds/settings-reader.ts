import type { Issue } from '../../../kernel/http/index.ts'
import type { AddressGuard } from '../../../kernel/net/index.ts'
import { hasMask, mask, maskedUrl, maskIssue } from './masks.ts'

interface TextRule {
  /** What the text must be, for people: "a name of 1 to 80 letters". */
  what: string
  pattern: RegExp
  /** Which value to give, in a sentence. */
  remedy?: string
}

/**
 * Reads settings of a kind one by one, and collects everything that is wrong with them. A setting that is absent or
 * null is undefined. Issues contain no value: it may be a credential.
 */
export class SettingsReader {
  readonly issues: Issue[] = []
  readonly #input: Record<string, unknown>
  readonly #at: string

  /** @param at path of the settings in the request */
  constructor(input: Record<string, unknown>, at: string) {
    this.#input = input
    this.#at = at
  }

  /** Whether the input has a value for a setting, whatever it is. */
  isGiven(name: string): boolean {
    return this.#given(name) !== undefined
  }

  /** Adds an issue of one setting. */
  refuse(name: string, detail: string, remedy?: string): void {
    const path = `${this.#at}.${name}`
    this.issues.push({
      in: 'body',
      name: path,
      detail: `${path} ${detail}`,
      ...(remedy !== undefined && { remedy }),
    })
  }

  /** Reads a text that must be there. Empty if it is not. */
  text(name: string, rule: TextRule): string {
    if (this.#given(name) === undefined) this.refuse(name, 'is required.', rule.remedy)
    return this.optionalText(name, rule) ?? ''
  }

  optionalText(name: string, { what, pattern, remedy }: TextRule): string | undefined {
    const value = this.#given(name)
    if (value === undefined) return undefined
    if (typeof value === 'string' && value === mask) this.issues.push(maskIssue(`${this.#at}.${name}`))
    else if (typeof value !== 'string' || !pattern.test(value)) this.refuse(name, `must be ${what}.`, remedy)
    else return value
    return undefined
  }

  /** Reads a URL that this service may send to. Empty if it is missing or refused. */
  url(name: string, guard: AddressGuard, remedy: string): string {
    if (this.#given(name) === undefined) this.refuse(name, 'is required.', remedy)
    return this.optionalUrl(name, guard, remedy) ?? ''
  }

  optionalUrl(name: string, guard: AddressGuard, remedy: string): string | undefined {
    const value = this.#given(name)
    if (value === undefined) return undefined
    if (typeof value !== 'string' || value.length > urlLengthMax)
      this.refuse(name, `must be a URL of at most ${urlLengthMax} characters.`, remedy)
    else if (hasMask(value)) this.issues.push(maskIssue(`${this.#at}.${name}`))
    else {
      const refusal = guard.checkUrl(value)
      if (refusal === undefined) return value
      const path = `${this.#at}.${name}`
      const detail = `${path} is not accepted. ${refusal.reason}`
      this.issues.push({ in: 'body', name: path, value: maskedUrl(value), detail, remedy: refusal.remedy })
    }
    return undefined
  }

  /** Reads `endpointUrl`. Requests have its path at most, and responses show it whole: a key in it would be seen. */
  optionalEndpoint(guard: AddressGuard, remedy: string): string | undefined {
    const url = this.optionalUrl('endpointUrl', guard, remedy)
    if (url === undefined || !/[?#]/.test(url)) return url
    this.refuse('endpointUrl', 'must have no query and no fragment.', remedy)
    return undefined
  }

  optionalInteger(name: string, { min, max }: { min: number; max: number }): number | undefined {
    const value = this.#given(name)
    if (value === undefined) return undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
    this.refuse(name, `must be a whole number from ${min} to ${max}.`)
    return undefined
  }

  optionalBoolean(name: string): boolean | undefined {
    const value = this.#given(name)
    if (value === undefined || typeof value === 'boolean') return value
    this.refuse(name, 'must be true or false.')
    return undefined
  }

  #given(name: string): unknown {
    return this.#input[name] ?? undefined
  }
}

const urlLengthMax = 2_048

/** Leaves out settings without a value, as they are stored. */
export function definedSettings<S extends object>(settings: { [K in keyof S]: S[K] | undefined }): S {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as S
}
