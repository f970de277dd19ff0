import { lazy, Suspense } from 'react'

const Drawn = lazy(async () => {
  const { default: encodeQR } = await import('qr')
  return {
    default: ({ text, label }: { text: string; label: string }) => {
      const data = encodeQR(text, 'raw')
      const size = data.length
      const path = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
      return (
        <svg className="qr-code" viewBox={`-2 -2 ${size + 4} ${size + 4}`} role="img" aria-label={label}>
          <rect x="-2" y="-2" width={size + 4} height={size + 4} fill="#fff" />
          <path d={path} fill="#000" shapeRendering="crispEdges" />
        </svg>
      )
    },
  }
})

/** A text for the camera of a phone. */
export function QrCode(props: { text: string; label: string }) {
  return (
    <Suspense fallback={<span className="qr-code" />}>
      <Drawn {...props} />
    </Suspense>
  )
}
