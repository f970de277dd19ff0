/**
 * An attack of one kind on the service. `sNN-name.ts` exports it as `attack`, `sNN-name.test.ts` runs it with
 * `testAttack`. See `main.ts` for how to run the long forms.
 */
export interface Attack {
  /** `S` and a number; `W2` is an attack that the list of S1 to S19 does not have. */
  id: `${'S' | 'W'}${number}`
  /** What must hold, in one sentence. */
  title: string
  run(options: { long: boolean }): Promise<Outcome>
}

export interface Outcome {
  passed: boolean
  /** What was counted and measured. Names end in their unit. */
  figures: Record<string, number | string>
  /** What did not hold: a sentence each, without secrets. */
  faults?: string[]
}

/** The outcome of one run, as `docs/security/attacks.json` keeps it. */
export interface AttackResult {
  id: string
  title: string
  date: string
  form: 'short' | 'long'
  passed: boolean
  figures: Record<string, number | string>
}

/** The environment variable that asks for the long forms. */
export const formVariable = 'MORTISE_ATTACKS'

declare module 'vitest' {
  interface TaskMeta {
    /** What the test of an attack ended in. */
    attack?: AttackResult
  }
}
