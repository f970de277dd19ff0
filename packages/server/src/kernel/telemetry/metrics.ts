import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { CountTallies, DurationTallies } from './tallies.ts'

/** What `/metrics` shows, in the Prometheus text format. One registry a process, made by the composition root. */
export interface Metrics {
  registry: Registry
  httpDuration: DurationTallies<'operation' | 'status'>
  jobs: Counter<'job' | 'outcome'>
  notifications: Counter<'topic'>
  notificationsConnected: Gauge
  jobsRunning: Gauge<'job'>
  recordsRead: Counter<'kind'>
  readLag: Histogram
  inboundEvents: Counter<'provider'>
  attempts: Counter<'outcome'>
  attemptDuration: Histogram
  proxied: CountTallies<'provider' | 'status'>
  proxiedBytes: CountTallies<'provider' | 'direction'>
  proxiedDuration: DurationTallies<'provider'>
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  return {
    registry,
    httpDuration: new DurationTallies(registry, {
      name: 'mortise_http_request_duration_seconds',
      help: 'Time from the head of a request to the end of its answer.',
      labelNames: ['operation', 'status'],
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    }),
    notifications: new Counter({
      name: 'mortise_notifications_total',
      help: 'Notifications received from other nodes and from this one, by topic.',
      labelNames: ['topic'],
      registers,
    }),
    notificationsConnected: new Gauge({
      name: 'mortise_notifications_connected',
      help: '1 while the node receives notifications; 0 while it polls.',
      registers,
    }),
    jobs: new Counter({
      name: 'mortise_jobs_total',
      help: 'Jobs that ended, by outcome.',
      labelNames: ['job', 'outcome'],
      registers,
    }),
    jobsRunning: new Gauge({
      name: 'mortise_jobs_running',
      help: 'Jobs that run in this process.',
      labelNames: ['job'],
      registers,
    }),
    recordsRead: new Counter({
      name: 'mortise_records_read_total',
      help: 'Records read from providers and committed, by kind of read.',
      labelNames: ['kind'],
      registers,
    }),
    readLag: new Histogram({
      name: 'mortise_read_lag_seconds',
      help: 'Time from when a scheduled read was due until it ended.',
      buckets: [0.5, 1, 2, 5, 10, 30, 60, 300, 1_800],
      registers,
    }),
    inboundEvents: new Counter({
      name: 'mortise_inbound_events_total',
      help: 'Events of providers that were verified and stored, duplicates included.',
      labelNames: ['provider'],
      registers,
    }),
    attempts: new Counter({
      name: 'mortise_delivery_attempts_total',
      help: 'Attempts to deliver a message, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    attemptDuration: new Histogram({
      name: 'mortise_delivery_attempt_duration_seconds',
      help: 'Time of one attempt to deliver.',
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 5, 15],
      registers,
    }),
    proxied: new CountTallies(registry, {
      name: 'mortise_proxied_requests_total',
      help: 'Requests to the proxy that were meant for a provider, by provider and class of the answer; `none` without one.',
      labelNames: ['provider', 'status'],
    }),
    proxiedBytes: new CountTallies(registry, {
      name: 'mortise_proxied_bytes_total',
      help: 'Bytes of bodies that went through the proxy, to providers (`out`) and from them (`in`).',
      labelNames: ['provider', 'direction'],
    }),
    proxiedDuration: new DurationTallies(registry, {
      name: 'mortise_proxied_duration_seconds',
      help: 'Time of a proxied request, its bodies included.',
      labelNames: ['provider'],
      buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    }),
  }
}
