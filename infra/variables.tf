variable "package" {
  description = "Path of the function's zip archive, as made by make build: build/lock.zip."
  type        = string
  nullable    = false

  validation {
    condition     = endswith(var.package, ".zip")
    error_message = "The package is the path of a zip archive."
  }
}

variable "name" {
  description = "Name of the table, the API and its function, and the beginning of all other names."
  type        = string
  default     = "statelock"
  nullable    = false

  validation {
    # What all of them allow: the table's name has at least 3 characters, what a
    # role's name begins with at most 38, "-history-" after this name included.
    condition     = can(regex("^[a-zA-Z0-9_-]{3,29}$", var.name))
    error_message = "The name has 3 to 29 letters, digits, hyphens and underscores."
  }
}

variable "default_lease_seconds" {
  description = "The lease of an acquire that doesn't say, in seconds; 0 for none, else 5 and more."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = var.default_lease_seconds == 0 || var.default_lease_seconds >= 5 && var.default_lease_seconds <= var.max_lease_seconds
    error_message = "default_lease_seconds is 0, or 5 to max_lease_seconds."
  }

  validation {
    # A longer one is refused, so no acquire that doesn't say would be granted.
    condition     = var.max_hold_seconds <= 0 || var.default_lease_seconds <= var.max_hold_seconds
    error_message = "default_lease_seconds is no more than max_hold_seconds."
  }

  validation {
    condition     = floor(var.default_lease_seconds) == var.default_lease_seconds
    error_message = "default_lease_seconds is a whole number."
  }
}

variable "max_lease_seconds" {
  description = "The longest lease that is granted, in seconds."
  type        = number
  default     = 86400
  nullable    = false

  validation {
    condition     = floor(var.max_lease_seconds) == var.max_lease_seconds && var.max_lease_seconds >= 5 && var.max_lease_seconds <= 86400
    error_message = "max_lease_seconds is a whole number, 5 to 86400."
  }
}

variable "notice_seconds" {
  description = "For how many seconds a lock must have been stale before it may be force-unlocked."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = floor(var.notice_seconds) == var.notice_seconds && var.notice_seconds >= 0
    error_message = "notice_seconds is a whole number, 0 or more."
  }
}

variable "max_hold_seconds" {
  description = "How many seconds after its beginning a hold's lease may reach; 0 for any."
  type        = number
  default     = 0
  nullable    = false

  validation {
    condition     = floor(var.max_hold_seconds) == var.max_hold_seconds && var.max_hold_seconds >= 0
    error_message = "max_hold_seconds is a whole number, 0 or more."
  }
}

variable "clock_skew_milliseconds" {
  description = "By how many milliseconds the clocks of two instances may differ."
  type        = number
  default     = 250
  nullable    = false

  validation {
    condition     = floor(var.clock_skew_milliseconds) == var.clock_skew_milliseconds && var.clock_skew_milliseconds >= 0
    error_message = "clock_skew_milliseconds is a whole number, 0 or more."
  }
}

variable "keep_history_hours" {
  description = "For how many hours the record of a transition is kept."
  type        = number
  default     = 2160
  nullable    = false

  validation {
    condition     = floor(var.keep_history_hours) == var.keep_history_hours && var.keep_history_hours >= 1
    error_message = "keep_history_hours is a whole number, 1 or more."
  }
}

variable "max_state_bytes" {
  description = "The greatest size of a state, in bytes. Lambda takes requests of 6 MiB in all."
  type        = number
  default     = 6291456
  nullable    = false

  validation {
    condition     = floor(var.max_state_bytes) == var.max_state_bytes && var.max_state_bytes >= 1
    error_message = "max_state_bytes is a whole number, 1 or more."
  }
}

variable "keep_versions" {
  description = "How many versions of a state are kept."
  type        = number
  default     = 50
  nullable    = false

  validation {
    condition     = floor(var.keep_versions) == var.keep_versions && var.keep_versions >= 1
    error_message = "keep_versions is a whole number, 1 or more."
  }
}

variable "require_lock" {
  description = "Whether to refuse to write state without a lock (terraform -lock=false)."
  type        = bool
  default     = false
  nullable    = false
}

variable "issuers" {
  description = "JSON of the issuers whose JWTs are taken as credentials, and of what they allow. Empty for none."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition     = var.issuers == "" || can(jsondecode(var.issuers))
    error_message = "issuers is no JSON."
  }
}

variable "jwt_issuer" {
  description = "Issuer of the JWTs that callers of the API's own routes bring, in place of signed requests. var.issuers says what they may do. Empty for signed requests."
  type        = string
  default     = ""
  nullable    = false

  validation {
    condition = var.jwt_issuer == "" || try(
      anytrue([for i in jsondecode(var.issuers) : i.issuer == var.jwt_issuer && i.audience == var.jwt_audience]), false,
    )
    error_message = "issuers must say what the JWTs of jwt_issuer for jwt_audience allow."
  }
}

variable "jwt_audience" {
  description = "The audience of those JWTs."
  type        = string
  default     = "statelock"
  nullable    = false
}

variable "throttle_rate" {
  description = "How many requests per second the API takes."
  type        = number
  default     = 100
  nullable    = false

  validation {
    condition     = var.throttle_rate >= 1
    error_message = "throttle_rate is 1 or more."
  }
}

variable "throttle_burst" {
  description = "How many requests at once the API takes."
  type        = number
  default     = 200
  nullable    = false

  validation {
    condition     = floor(var.throttle_burst) == var.throttle_burst && var.throttle_burst >= 1
    error_message = "throttle_burst is a whole number, 1 or more."
  }
}

variable "stale_alarm_seconds" {
  description = "For how many seconds a lock may be stale before there is an alarm."
  type        = number
  default     = 3600
  nullable    = false

  validation {
    condition     = floor(var.stale_alarm_seconds) == var.stale_alarm_seconds && var.stale_alarm_seconds >= 60
    error_message = "stale_alarm_seconds is a whole number, 60 or more."
  }
}

variable "log_retention_days" {
  description = "For how many days the logs are kept."
  type        = number
  default     = 90
  nullable    = false

  validation {
    condition = contains(
      [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653],
      var.log_retention_days,
    )
    error_message = "CloudWatch Logs keeps logs for 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288 or 3653 days."
  }
}

variable "deletion_protection" {
  description = "Whether the table, and with it every lock, is safe from deletion. To tear everything down, set this to false, apply, then destroy."
  type        = bool
  default     = true
  nullable    = false
}

variable "kms_key_arn" {
  description = "ARN of the key that encrypts the table. Empty for the key of AWS's that the account has for DynamoDB."
  type        = string
  default     = ""
  nullable    = false
}

variable "tracing" {
  description = "Active has AWS X-Ray trace the functions."
  type        = string
  default     = "PassThrough"
  nullable    = false

  validation {
    condition     = contains(["PassThrough", "Active"], var.tracing)
    error_message = "tracing is PassThrough or Active."
  }
}
