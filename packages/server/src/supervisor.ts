import cluster, { type Worker } from 'node:cluster'
import process from 'node:process'
import type { Config } from './config.ts'
import { fail } from './fail.ts'
import type { KeptPostgres } from './kernel/db/embedded/keep-embedded.ts'
import { type GroupMessage, isGroupMessage } from './kernel/processes/index.ts'
import type { Logger } from './kernel/telemetry/index.ts'
import { RestartLimit } from './restart-limit.ts'
import { stopMsMax } from './stop-time.ts'
import { type EmbeddedAddress, supervisedEnv, supervisorNumber, supervisorTopics } from './supervised.ts'
import { closeUnaccepted } from './unaccepted-connections.ts'

export interface SuperviseOptions {
  config: Config
  log: Logger
  /** The embedded PostgreSQL, which may still be starting; undefined with DATABASE_URL. */
  embedded: Promise<KeptPostgres> | undefined
  newKey: boolean
  /** The file that every process runs: the one that runs this supervisor, also after an update of the sources. */
  program: string
}

/** Time after the deadline of the processes until they are killed. */
const killMs = 5_000

/**
 * Runs the service in several processes. This one accepts connections and passes them on in turn, passes on messages
 * between the processes, starts them again when they end, and runs the embedded PostgreSQL. It opens no connection to
 * the database and loads nothing of the service, so there is little in it that can fail.
 *
 * The first process prepares the database and prints what runs where. The others start when it is ready.
 */
export function supervise({ config, log, embedded, newKey, program }: SuperviseOptions): void {
  const count = config.processes
  const running = new Map<number, Worker>()
  const limit = new RestartLimit()
  let isReady = false
  let stopping: Promise<void> | undefined

  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: program, args: [] })

  const start = (number: number) => {
    if (stopping) return
    const isFirst = number === 1 && !isReady
    const env = supervisedEnv({ number, count, isFirst, newKey: isFirst && newKey, isEmbedded: embedded !== undefined })
    const worker = cluster.fork(env)
    running.set(number, worker)
    closeUnaccepted(worker)
    worker.on('message', (message) => {
      if (isGroupMessage(message)) receive(message)
    })
    worker.once('exit', (code, signal) => ended(number, code, signal))
  }

  const receive = (message: GroupMessage) => {
    const { topic, from, to } = message
    if (to !== supervisorNumber) {
      for (const [number, worker] of running) if (number !== from && (to ?? number) === number) send(worker, message)
    } else if (topic === supervisorTopics.embedded) void sendAddress(from)
    else if (topic === supervisorTopics.ready && !isReady) {
      isReady = true
      for (let number = 2; number <= count; number++) start(number)
    }
  }

  const sendAddress = async (number: number) => {
    const server = await embedded
    const worker = running.get(number)
    if (!server || !worker) return
    const message: EmbeddedAddress = { host: server.host, port: server.port, dataDir: server.dataDir }
    send(worker, { topic: supervisorTopics.embedded, message, from: supervisorNumber })
  }

  const ended = (number: number, code: number | null, signal: string | null) => {
    running.delete(number)
    if (stopping) return
    // It has written why it cannot start.
    if (!isReady) return void stop(code || 1)
    const delayMs = limit.next(Date.now())
    log.error({ process: number, code, signal, delayMs }, 'a process of the service ended; starting it again')
    if (delayMs !== undefined) return void setTimeout(start, delayMs, number)
    log.fatal('processes of the service end again and again; stopping')
    void stop(1)
  }

  /** Lets all processes finish their work, then ends PostgreSQL and this process. */
  const stop = (exitCode: number) => {
    stopping ??= endAll(running, config).then(async () => {
      await (await embedded)?.stop()
      process.exit(exitCode)
    }, fail)
    return stopping
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(0))
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught error')
    void stop(1)
  })
  embedded
    ?.then(({ lost }) => lost)
    .then((error) => {
      if (stopping) return
      log.fatal({ err: error }, 'failed to restart the embedded PostgreSQL; stopping')
      process.exit(1)
    }, fail)
  start(1)
}

function send(worker: Worker, message: GroupMessage): void {
  // A process that has just ended gets nothing.
  if (worker.isConnected()) worker.send(message, undefined, () => undefined)
}

/** Sends the stop signal to all processes, and waits until they have ended. */
async function endAll(running: ReadonlyMap<number, Worker>, config: Config): Promise<void> {
  const workers = [...running.values()]
  const killing = setTimeout(() => signalAll(workers, 'SIGKILL'), stopMsMax(config) + killMs)
  const ends = workers.map((worker) => new Promise((resolve) => void worker.once('exit', resolve)))
  signalAll(workers, 'SIGTERM')
  await Promise.all(ends)
  clearTimeout(killing)
}

function signalAll(workers: Worker[], signal: 'SIGTERM' | 'SIGKILL'): void {
  for (const worker of workers) worker.process.kill(signal)
}
