import type { Readable, Writable } from 'node:stream'
import { Interrupted } from './interrupted.ts'

/** One of the answers to choose from. */
export interface Choice {
  value: string
  /** What is shown; the value when absent. */
  label?: string
  /** More about the choice, shown next to it while it is selected. */
  hint?: string
}

/** Validates an answer; returns a sentence that says what is wrong with it. */
type Validate = (answer: string) => string | undefined

/**
 * Questions to the person in front of the terminal. Ask only where the terminal is `interactive`. Each throws
 * `Interrupted` when the person goes away (Ctrl-C, Escape).
 */
export interface Questions {
  confirm(message: string, options?: { initial?: boolean }): Promise<boolean>
  text(message: string, options?: { initial?: string; placeholder?: string; validate?: Validate }): Promise<string>
  /** Typed unseen. */
  password(message: string): Promise<string>
  select(message: string, choices: Choice[], options?: { initial?: string }): Promise<string>
  /** One of many, found by typing. */
  search(message: string, choices: Choice[]): Promise<string>
  /** Any number of many, found by typing. */
  searchMany(message: string, choices: Choice[], options?: { required?: boolean }): Promise<string[]>
}

/**
 * Questions by `@clack/prompts`, which is loaded with the first of them. Printed to `output`: data has stdout to
 * itself.
 */
export function promptQuestions(streams: { input: Readable; output: Writable; signal: AbortSignal }): Questions {
  const prompts = () => import('@clack/prompts')
  const shared = { ...streams, maxItems: 12 }
  const answered = <T>(answer: T): Exclude<T, symbol> => {
    if (typeof answer === 'symbol') throw new Interrupted()
    return answer as Exclude<T, symbol>
  }
  const validated = (validate: Validate | undefined) => (answer: string | undefined) => validate?.(answer ?? '')
  const options = (choices: Choice[]) =>
    choices.map(({ value, label = value, hint }) => ({ value, label, ...(hint !== undefined && { hint }) }))
  return {
    confirm: async (message, { initial = true } = {}) =>
      answered(await (await prompts()).confirm({ ...shared, message, initialValue: initial })),
    text: async (message, { initial, placeholder, validate } = {}) =>
      answered(
        await (await prompts()).text({
          ...shared,
          message,
          validate: validated(validate),
          ...(initial !== undefined && { initialValue: initial }),
          ...(placeholder !== undefined && { placeholder }),
        }),
      ) ?? '',
    password: async (message) => answered(await (await prompts()).password({ ...shared, message })),
    select: async (message, choices, { initial } = {}) =>
      answered(
        await (await prompts()).select({
          ...shared,
          message,
          options: options(choices),
          ...(initial !== undefined && { initialValue: initial }),
        }),
      ),
    search: async (message, choices) =>
      answered(await (await prompts()).autocomplete({ ...shared, message, options: options(choices) })),
    searchMany: async (message, choices, { required = false } = {}) =>
      answered(
        await (await prompts()).autocompleteMultiselect({ ...shared, message, required, options: options(choices) }),
      ),
  }
}
