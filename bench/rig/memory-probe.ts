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
// Whoever asks must not keep the service from ending.
process.channel?.unref()
