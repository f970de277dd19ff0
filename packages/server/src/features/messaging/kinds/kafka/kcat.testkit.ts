import { execFileSync, spawn } from 'node:child_process'
import { vi } from 'vitest'

/** Whether this machine has kcat, which contains brokers for tests. `MORTISE_REQUIRE_KCAT=1` requires it. */
export function hasKcat(): boolean {
  try {
    execFileSync('kcat', ['-V'], { stdio: 'ignore' })
    return true
  } catch (error) {
    if (process.env['MORTISE_REQUIRE_KCAT'] === '1') throw new Error('there is no kcat', { cause: error })
    console.warn('Tests with the brokers of librdkafka are skipped: install kcat.')
    return false
  }
}

/**
 * Starts three brokers of librdkafka, and its consumer of a topic.
 *
 * @param format how the consumer prints a record
 */
export async function startKcat({ topic, format }: { topic: string; format: string }) {
  const brokers = ['-b', 'mock', '-X', 'test.mock.num.brokers=3', '-X', 'debug=mock']
  const consumer = spawn('kcat', ['-C', ...brokers, '-t', topic, '-o', 'beginning', '-u', '-f', format], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [log, read] = ['', '']
  consumer.stderr.on('data', (chunk) => {
    log += chunk
  })
  consumer.stdout.on('data', (chunk) => {
    read += chunk
  })
  const find = () => {
    const port = /127\.0\.0\.1:(\d+)/.exec(log)?.[1]
    if (port === undefined) throw new Error(`There is no broker: ${log}`)
    return port
  }
  const port = await vi.waitFor(find, { timeout: 10_000 })
  return { brokers: `127.0.0.1:${port}`, read: () => read, stop: () => void consumer.kill() }
}
