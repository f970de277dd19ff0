import { setTimeout as delay } from 'node:timers/promises'
import cliProgress from 'cli-progress'
import Table from 'cli-table3'
import colors from 'picocolors'

/** What the demo prints. */

let steps = 0

export function title(text: string): void {
  console.log(`\n${colors.bold(text)}`)
}

export function step(text: string): void {
  steps++
  console.log(`\n${colors.cyan(`${steps}.`)} ${colors.bold(text)}`)
}

export function say(text: string): void {
  console.log(`   ${text}`)
}

export function good(text: string): void {
  console.log(`   ${colors.green('✓')} ${text}`)
}

/** A bar that follows a count until it is full, or until `enough` of it is there. */
export async function followBar(options: {
  label: string
  total: number
  enough?: number
  value: () => Promise<number>
  timeoutMs: number
}): Promise<void> {
  const { label, total, enough = total, value, timeoutMs } = options
  const bar = new cliProgress.SingleBar({
    format: `   ${label} {bar} {value}/{total} · {duration_formatted}`,
    hideCursor: true,
    noTTYOutput: true,
    notTTYSchedule: 5_000,
    barsize: 30,
  })
  const givenUpAt = Date.now() + timeoutMs
  bar.start(total, 0)
  try {
    for (;;) {
      const now = await value()
      bar.update(Math.min(now, total))
      if (now >= enough) return
      if (Date.now() > givenUpAt) throw new Error(`${label}: ${now} of ${enough} after ${timeoutMs / 1000} s`)
      await delay(100)
    }
  } finally {
    bar.stop()
  }
}

/** Counts seconds down on one line until `done`, at most to `until`. */
export async function countdown(label: string, until: Date, done: () => boolean): Promise<void> {
  while (!done() && Date.now() < until.getTime()) {
    const left = Math.ceil((until.getTime() - Date.now()) / 1000)
    if (process.stdout.isTTY) process.stdout.write(`\r   ${label} ${String(left).padStart(2)} s `)
    await delay(250)
  }
  if (process.stdout.isTTY) process.stdout.write('\r\u001b[K')
}

export function table(head: string[], rows: (string | number)[][]): void {
  const drawn = new Table({
    head,
    style: colors.isColorSupported ? { head: ['cyan'] } : { head: [], border: [] },
    colAligns: head.map((_, column) => (column === 0 ? 'left' : 'right')),
  })
  drawn.push(...rows.map((row) => row.map((cell) => (typeof cell === 'number' ? cell.toLocaleString('en') : cell))))
  console.log(`\n${drawn.toString()}`)
}
