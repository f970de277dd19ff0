import { expect, test } from 'vitest'
import { type Attack, type AttackResult, formVariable } from './attack.ts'
import { resultLine } from './results.ts'

const minutesMax = { short: 10, long: 60 }

/** Runs an attack as a test: in its short form, unless the environment asks for the long one. */
export function testAttack({ id, title, run }: Attack): void {
  const form = process.env[formVariable] === 'long' ? 'long' : 'short'
  test(`${id}: ${title}`, { timeout: minutesMax[form] * 60_000 }, async ({ task }) => {
    const { passed, figures, faults = [] } = await run({ long: form === 'long' })
    const date = new Date().toISOString().slice(0, 10)
    const result: AttackResult = { id, title, date, form, passed: passed && faults.length === 0, figures }
    task.meta.attack = result
    process.stdout.write(`${resultLine(result)}\n`)
    if (faults.length > 0) expect.fail(`${faults.length} faults\n${faults.slice(0, 20).join('\n')}`)
    expect(passed, JSON.stringify(figures)).toBe(true)
  })
}
