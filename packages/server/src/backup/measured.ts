import { createHash } from 'node:crypto'
import { Transform } from 'node:stream'
import type { BackupPart } from './manifest.ts'
import { UnusableBackup } from './problems.ts'

/** Passes bytes on and measures them; read the result when it has ended. */
export function measuring(): Transform & { measured(): Omit<BackupPart, 'rows'> } {
  const hash = createHash('sha256')
  let bytes = 0
  const transform = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
  })
  return Object.assign(transform, { measured: () => ({ bytes, sha256: hash.digest('hex') }) })
}

/** Passes bytes on, and fails at their end when they are not those that were written. */
export function verifying(name: string, expected: Omit<BackupPart, 'rows'>): Transform {
  const hash = createHash('sha256')
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      bytes += chunk.length
      done(null, chunk)
    },
    flush(done) {
      const intact = bytes === expected.bytes && hash.digest('hex') === expected.sha256
      done(intact ? null : new UnusableBackup(`The file is damaged: ${name} is not what was backed up.`))
    },
  })
}
