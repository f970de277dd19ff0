import type { Differences } from './differences.testkit.ts'

const limited = 'A response of Zoom reaches over a limited period here, so no request lists every record.'

export const differences: Differences = {
  notRun: {
    'metadata-activities-report-devices-groups-static': limited,
    'read-archive-files-has-next': limited,
    'read-archive-files-last-page': limited,
    'read-archive-files-incremental-has-next': limited,
    'read-recordings-last-page': limited,
    'read-recordings-incremental-has-next': limited,
    'update-tracking-fields': 'Zoom documents PATCH for the update of a tracking field.',
  },
}
