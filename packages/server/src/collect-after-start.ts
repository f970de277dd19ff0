import { garbageCollector } from './kernel/garbage-collector.ts'

const everyMs = 2_000
/** Share of one core below which a process counts as idle. */
const idleShare = 0.1

/**
 * Collects the garbage of the start once, as soon as the process is idle. V8 would keep it until the heap has grown to
 * its initial size, which an idle service does not reach for hours. A busy process collects it anyway.
 */
export function collectAfterStart(): void {
  let before = process.cpuUsage()
  const timer = setInterval(() => {
    const { user, system } = process.cpuUsage(before)
    before = process.cpuUsage()
    if ((user + system) / 1_000 > everyMs * idleShare) return
    clearInterval(timer)
    garbageCollector()({ type: 'major', flavor: 'last-resort' })
  }, everyMs).unref()
}
