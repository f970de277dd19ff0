#!/usr/bin/env node
/**
 * The command as npm installs it. A package has the bundle; a checkout has the sources, and runs them on the Node that
 * its dependencies bring.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const file = (path) => fileURLToPath(new URL(path, import.meta.url))

if (existsSync(file('../src/main.ts'))) {
  // The image installs no Node of its own: it runs on the one that it has.
  const installed = file('../../../node_modules/node/bin/node')
  const node = existsSync(installed) ? installed : process.execPath
  const flags = ['--conditions=mortise-source', '--disable-warning=ExperimentalWarning']
  const child = spawn(node, [...flags, file('../src/main.ts'), ...process.argv.slice(2)], { stdio: 'inherit' })
  // Ctrl-C reaches both: this one waits until the command has ended in order. What is sent to this one alone is passed
  // on.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  child.on('close', (code, signal) => {
    if (signal) process.removeAllListeners(signal)
    if (signal) process.kill(process.pid, signal)
    process.exitCode = code ?? 1
  })
} else {
  await import('../dist/main.js')
}
