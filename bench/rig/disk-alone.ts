import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** As a log of changes is written: over what is there already, a few events at once. */
const segmentBytes = 16 * 1_024 * 1_024
const commitBytes = 32 * 1_024
const everyMs = 5
const arrivalsPerMs = 2

/**
 * How long who asks for nothing but that a few bytes lie on the disk would wait for it, in milliseconds, in order: a
 * write and a flush every 5 ms, and askers that come evenly and wait for the first flush that begins after them. What
 * the disk itself costs whom it makes wait.
 */
export async function waitsForDisk(folder: string, ms: number): Promise<Float64Array> {
  const file = await open(join(folder, 'disk-alone'), 'w')
  try {
    await file.write(Buffer.alloc(segmentBytes))
    await file.sync()
    const commit = Buffer.alloc(commitBytes, 1)
    const waits: number[] = []
    const began = performance.now()
    let next = 0
    for (let at = 0; performance.now() - began < ms; at = (at + commitBytes) % segmentBytes) {
      const from = performance.now() - began
      await file.write(commit, 0, commit.length, at)
      await file.datasync()
      const end = performance.now() - began
      for (; next / arrivalsPerMs <= from; next++) waits.push(end - next / arrivalsPerMs)
      if (end - from < everyMs) await setTimeout(everyMs - (end - from))
    }
    return new Float64Array(waits).sort()
  } finally {
    await file.close()
  }
}
