import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { CannotRunPostgres } from './errors.ts'
import { plainEnvironment } from './probe.ts'
import type { SystemUser } from './system-user.ts'

/** A program that cannot outlive this Node process, even when that is killed. */
export interface WatchedProcess {
  /** Process id of the program itself, not of the shell that watches it. */
  pid: number
  /** Last lines of standard error, for the message when it fails. */
  lastLines: readonly string[]
  /** Resolves with its exit code when it has ended, or null when the watching shell was killed. */
  exited: Promise<number | null>
  /** Sends SIGINT, PostgreSQL's fast shutdown. */
  end(): void
}

/**
 * A shell runs the program ($@) and reads a pipe whose other end only we have open. When we stop it, or end for any
 * reason, kill -9 included, the read returns and the program gets SIGINT. The shell ignores the signals that a service
 * manager sends to every process of a service; otherwise it would die before the program. It prints the program's pid
 * first, and ends with its exit code.
 */
const watch = [
  "trap '' INT TERM HUP",
  'exec 3<&0',
  '"$@" 3<&- </dev/null >&2 & program=$!',
  'echo $program',
  '(read -r _ <&3; kill -INT $program) >/dev/null 2>&1 & reader=$!',
  'exec 3<&-',
  'wait $program; status=$?',
  'kill -KILL $reader 2>/dev/null',
  'exit $status',
].join('\n')

const linesKept = 40

/**
 * How PostgreSQL's C library reuses memory. Left alone, glibc gives what a statement used back to the system as soon as
 * 128 KB are free, and the next statement takes it again, page by page. With messages of 61 KB, that is a third of the
 * processor time of PostgreSQL. A connection keeps at most 4 MB. Other C libraries ignore these (mallopt(3)).
 */
const allocator = { MALLOC_TRIM_THRESHOLD_: '4194304', MALLOC_MMAP_THRESHOLD_: '4194304' }

/**
 * Runs a program as `user` (as ourselves when undefined) in a separate session. A terminal's Ctrl-C then reaches only
 * us, and the database keeps running while its users stop.
 */
export async function spawnWatched(
  command: readonly string[],
  options: { user: SystemUser | undefined; log: (line: string) => void },
): Promise<WatchedProcess> {
  const { user, log } = options
  const child = spawn('/bin/sh', ['-c', watch, 'sh', ...command], {
    ...(user ? { uid: user.uid, gid: user.gid } : {}),
    // PostgreSQL treats a lock file that names its parent or grandparent as stale, because process ids repeat in
    // containers.
    env: { ...plainEnvironment, ...allocator, PG_GRANDPARENT_PID: String(process.pid) },
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const lastLines: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastLines.push(line)
    if (lastLines.length > linesKept) lastLines.shift()
    log(line)
  })
  child.stdin.on('error', (error) => log(`pipe to PostgreSQL: ${error.message}`))
  // 'close' follows the last line, so the message of a failure is complete.
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))

  const pid = await new Promise<number>((resolve, reject) => {
    child.once('error', (cause) => reject(new CannotRunPostgres(cause.message, { cause })))
    child.stdout.once('data', (data: Buffer) => resolve(Number.parseInt(data.toString(), 10)))
    child.once('close', () => reject(new CannotRunPostgres(lastLines.join('; ') || 'the shell that watches it ended')))
  })
  return { pid, lastLines, exited, end: () => child.stdin.end() }
}
