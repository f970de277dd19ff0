import { lazy, Suspense } from 'react'
import type { ChartProps } from './chart.tsx'
import type { CodeEditorProps } from './code-editor.tsx'
import { Skeleton } from './states.tsx'

/** Parts with a library that only some pages need. They load with the first page that shows one. */
const LoadedChart = lazy(() => import('./chart.tsx'))
const LoadedDiff = lazy(() => import('./diff-view.tsx'))
const LoadedEditor = lazy(() => import('./code-editor.tsx'))

export function Chart(props: ChartProps) {
  return (
    <Suspense fallback={<div style={{ height: props.height ?? 160 }} />}>
      <LoadedChart {...props} />
    </Suspense>
  )
}

export function DiffView(props: { before: string; after: string }) {
  return (
    <Suspense fallback={<Skeleton />}>
      <LoadedDiff {...props} />
    </Suspense>
  )
}

export function CodeEditor(props: CodeEditorProps) {
  return (
    <Suspense fallback={<Skeleton lines={10} />}>
      <LoadedEditor {...props} />
    </Suspense>
  )
}
