import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const pollMs = 100

/**
 * Runs `work` while no other process on this machine runs it under the same lock file. The file holds the process id of
 * its holder; a dead one's is taken over.
 */
export async function withLock(file, doing, work) {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
  let told = false
  for (let holder = take(file); holder !== process.pid; holder = take(file)) {
    if (holder === undefined) continue
    if (!told) console.error(`waiting for process ${holder}, which ${doing}`)
    told = true
    await delay(pollMs)
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

/** Takes the lock if it is free. Returns who holds it now; undefined when that has just changed: ask again. */
function take(file) {
  const mine = `${file}.${process.pid}`
  writeFileSync(mine, `${process.pid}\n`, { mode: 0o600 })
  try {
    // A link appears whole or not at all, and never replaces another's.
    linkSync(mine, file)
    return process.pid
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
  } finally {
    rmSync(mine, { force: true })
  }
  const holder = holderOf(file)
  if (holder === undefined || isAlive(holder)) return holder
  takeAway(file, holder)
  return undefined
}

/** Removes the lock of a dead holder. If another process was quicker and took it since, it is given back. */
function takeAway(file, dead) {
  const aside = `${file}.${process.pid}.old`
  try {
    renameSync(file, aside)
    if (holderOf(aside) !== dead) linkSync(aside, file)
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

function holderOf(file) {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10)
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}
