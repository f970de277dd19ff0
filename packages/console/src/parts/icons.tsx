/** Symbols, drawn for 16 px. They say nothing to a screen reader: what they are on has a name. */
const paths = {
  overview: 'M2 9h4v5H2zM6 2h4v12H6zM10 6h4v8h-4z',
  customers: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14c.4-3 2.6-4.5 5.5-4.5s5.100 1.500 5.500 4.500z',
  installations:
    'M2.500 2.500h4.500v4.500H2.500zM9 2.500h4.500v4.500H9zM2.500 9h4.500v4.500H2.500zM9 11.250h4.500M11.250 9v4.500',
  connections:
    'M6.500 9.500l3-3M7 4.500l1.500-1.500a3 3 0 0 1 4.500 4.500L11.500 9M9 11.500L7.500 13A3 3 0 0 1 3 8.500L4.500 7',
  operations: 'M2 4h12M2 8h12M2 12h8',
  messages: 'M2 3.500h12v9H2zM2 4l6 5 6-5',
  approvals: 'M8 2.500l5 1.800v3.700c0 3-2.200 5-5 6-2.800-1-5-3-5-6V4.300zM5.500 8l2 2 3.500-4',
  deadLetters: 'M2 3.500h12v9H2zM6 6l4 4M10 6l-4 4',
  destinations: 'M2 8h9M8 4.500L11.500 8 8 11.500M14 2.500v11',
  events: 'M9 1.500L3.500 9H8l-1 5.500L12.500 7H8z',
  schema: 'M2.500 3h11v10h-11zM2.500 6.500h11M6.500 6.500V13',
  integrations: 'M8 1.500L14 5v6l-6 3.500L2 11V5zM2 5l6 3.500L14 5M8 8.500v6',
  providers: 'M4.500 12.500h7a3 3 0 0 0 .3-6A4 4 0 0 0 4.200 6.200a3.200 3.200 0 0 0 .3 6.300z',
  notifications: 'M8 2a4 4 0 0 1 4 4c0 3.500 1.500 5 1.500 5h-11S4 9.500 4 6a4 4 0 0 1 4-4zM6.500 13.500h3',
  explorer: 'M5.500 4L2 8l3.500 4M10.500 4L14 8l-3.500 4',
  settings: 'M2 4.500h7M12 4.500h2M2 11.500h2M7 11.500h7M10.500 3v3M5.500 10v3',
  account: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.500 14c.4-3 2.600-4.500 5.500-4.500s5.100 1.500 5.500 4.500z',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.500 10.500L14 14',
  copy: 'M5.500 5.500h8v8h-8zM10.500 5.500v-3h-8v8h3',
  check: 'M3 8.500L6.500 12 13 4.500',
  close: 'M4 4l8 8M12 4l-8 8',
  menu: 'M2 4h12M2 8h12M2 12h12',
  more: 'M3 8h.01M8 8h.01M13 8h.01',
  down: 'M4 6l4 4 4-4',
  right: 'M6 4l4 4-4 4',
  external: 'M6 3H3v10h10v-3M9 3h4v4M13 3L7.500 8.500',
  download: 'M8 2v8M4.500 7L8 10.500 11.500 7M2.500 13.500h11',
  columns: 'M2.500 3h11v10h-11zM6.200 3v10M9.800 3v10',
  star: 'M8 2l1.800 3.900 4.200.5-3.100 2.900.8 4.200L8 11.400l-3.700 2.100.8-4.200L2 6.400l4.200-.5z',
} as const
export type IconName = keyof typeof paths

export function Icon({ name }: { name: IconName }) {
  return (
    <svg className="symbol" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
