import { subscribe } from 'node:diagnostics_channel'
import process from 'node:process'

/**
 * Preloaded into the service with `--expose-gc`: tells, when asked over the channel, what is resident after a forced
 * collection, and the processor time it has taken. Ends the service when whoever started it is gone.
 */
process.on('message', (question) => {
  if (question === 'cpu') process.send?.(process.cpuUsage())
  if (question !== 'memory') return
  globalThis.gc?.()
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  process.send?.({ resident: rss, heap: heapUsed })
})
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'))
// A deliberate leak with each request, to show that the soak finds it.
const leakBytes = Number(process.env['MORTISE_BENCH_LEAK_BYTES'] ?? 0)
const leaked: number[][] = []
if (leakBytes > 0)
  subscribe('http.server.request.start', () => {
    leaked.push(Array.from({ length: leakBytes / 8 }, () => Math.random()))
  })
// Whoever asks must not keep the service from ending.
process.channel?.unref()
