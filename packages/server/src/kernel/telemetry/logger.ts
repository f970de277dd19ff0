import { type Logger as PinoLogger, type LoggerOptions as PinoOptions, pino } from 'pino'
import { errorFields } from './error-fields.ts'

export type Logger = PinoLogger

/** Paths that never reach a log, wherever an object that holds them is logged. */
const redacted = [
  'apiKey',
  'authorization',
  'password',
  'secret',
  'token',
  'accessToken',
  'refreshToken',
  'clientSecret',
  'credential',
  'cookie',
  'webhookSigningKey',
  'x-api-key',
]

export interface LoggerOptions {
  level: string
  /** Number of the process, in each line; absent for one process. */
  process?: number
  /** Where lines go; standard output when absent. */
  destination?: { write(line: string): void }
}

/** A structured logger: one JSON object a line, with everything that looks like a credential replaced. */
export function createLogger(options: LoggerOptions): Logger {
  const settings: PinoOptions = {
    level: options.level,
    base: options.process === undefined ? null : { process: options.process },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: redacted.flatMap((name) => {
        const key = /^\w+$/.test(name) ? `.${name}` : `["${name}"]`
        return [key.replace(/^\./, ''), `*${key}`, `*.*${key}`]
      }),
      censor: '[redacted]',
    },
    serializers: { err: errorFields },
  }
  return options.destination ? pino(settings, options.destination) : pino(settings)
}
