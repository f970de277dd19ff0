export declare const serviceFlags: string[]
export declare const serviceEnvironment: Record<string, string>
