export declare const serviceFlags: string[]
