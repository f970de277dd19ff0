import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'

const againAfterMs = 500

/**
 * Runs a program in this one's place: same terminal, same signals, and this process stays until it has ended. Resolves
 * with its exit code (128 + number when a signal ended it).
 *
 * SIGTERM and SIGHUP are passed on. Ctrl-C in a terminal reaches the program by itself, and a second SIGINT would mean
 * "at once" to many programs; a SIGINT that somebody sent to this process alone does not reach it, and the two look the
 * same here. So in a terminal the program first gets time, and then SIGTERM: one that is ending already is not hurried.
 */
export function runChild(command, args, { env = process.env } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: 'inherit', env })
    const inTerminal = hasTerminal()
    let later
    const onSignal = (signal) => {
      if (signal !== 'SIGINT' || !inTerminal) child.kill(signal)
      else later ??= setTimeout(() => child.kill('SIGTERM'), againAfterMs)
    }
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, onSignal)
    const done = () => {
      clearTimeout(later)
      for (const signal of signals) process.off(signal, onSignal)
    }
    child.once('error', (error) => {
      done()
      reject(error)
    })
    child.once('exit', (code, signal) => {
      done()
      resolve(code ?? 128 + constants.signals[signal])
    })
  })
}

function hasTerminal() {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    // No controlling terminal: a service manager, a container, another program started us.
    return false
  }
}
