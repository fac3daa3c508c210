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
  description = "Name of the table, the function and the API, and the beginning of the role's."
  type        = string
  default     = "statelock"
  nullable    = false

  validation {
    # What all four allow: the table's name has at least 3 characters, what the
    # role's name begins with at most 38, the hyphen after this name included.
    condition     = can(regex("^[a-zA-Z0-9_-]{3,37}$", var.name))
    error_message = "The name has 3 to 37 letters, digits, hyphens and underscores."
  }
}

variable "log_retention_days" {
  description = "For how many days the function's log is kept."
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

variable "keep_history_hours" {
  description = "For how many hours the record of a transition is kept."
  type        = number
  default     = 2160

  validation {
    condition     = var.keep_history_hours >= 1
    error_message = "keep_history_hours must be at least 1."
  }
}
