import { Counter, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { CountTallies, DurationTallies } from './tallies.ts'

/** The registry's own classes are the measure: the same is counted, and the same text comes out. */

const name = 'things_seconds'
const help = 'Time of things.'
const buckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]

test('durations read as those of a histogram: at a bound, above all of them, under several labels', async () => {
  const [theirs, ours] = [new Registry(), new Registry()]
  const histogram = new Histogram({ name, help, buckets, labelNames: ['kind', 'status'], registers: [theirs] })
  const tallies = new DurationTallies(ours, { name, help, buckets, labelNames: ['kind', 'status'] })
  for (const [kind, status, seconds] of [
    ['one', '200', 0],
    ['one', '200', 0.005],
    ['one', '200', 0.0051],
    ['one', '404', 10],
    ['two "quoted"', '200', 10.25],
    ['one', '200', 0.25],
  ] as const) {
    histogram.labels({ kind, status }).observe(seconds)
    tallies.labels({ kind, status }).observe(seconds)
  }
  expect(await ours.metrics()).toBe(await theirs.metrics())
})

test('counts read as those of a counter', async () => {
  const [theirs, ours] = [new Registry(), new Registry()]
  const counter = new Counter({ name, help, labelNames: ['kind'], registers: [theirs] })
  const tallies = new CountTallies(ours, { name, help, labelNames: ['kind'] })
  for (const [kind, count] of [
    ['one', 1],
    ['two', 250],
    ['one', 3],
  ] as const) {
    counter.inc({ kind }, count)
    tallies.labels({ kind }).add(count)
  }
  expect(await ours.metrics()).toBe(await theirs.metrics())
})

test('two metrics of one name are refused, as the registry does it', () => {
  const registry = new Registry()
  new CountTallies(registry, { name, help, labelNames: [] })
  expect(() => new DurationTallies(registry, { name, help, buckets, labelNames: [] })).toThrow(/already/)
})
